import js from "@eslint/js";

export default [
  { ignores: ["**/node_modules/"] },
  js.configs.recommended,
  {
    rules: {
      // The compiler of TypeScript, which reads the types in the comments, knows better.
      "no-undef": "off",
      "no-unused-vars": "off",
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
