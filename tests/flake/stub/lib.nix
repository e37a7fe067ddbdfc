# The part of nixpkgs' lib that flake.nix uses, with the same meaning. What is not declared here fails.
let
  inherit (builtins)
    attrNames
    concatMap
    filter
    foldl'
    isList
    isPath
    listToAttrs
    map
    pathExists
    ;

  # A file set here is the list of its paths. Like the real one, it refuses a path that is not there.
  present =
    set:
    if isList set then
      set
    else if isPath set && pathExists set then
      [ set ]
    else
      throw "fileset: ${toString set} does not exist";
in
rec {
  makeBinPath =
    packages: builtins.concatStringsSep ":" (map (package: "${package.outPath}/bin") packages);
  genAttrs =
    names: value:
    listToAttrs (
      map (name: {
        inherit name;
        value = value name;
      }) names
    );
  mapAttrs = builtins.mapAttrs;
  nameValuePair = name: value: { inherit name value; };
  mapAttrs' = function: set: listToAttrs (map (name: function name set.${name}) (attrNames set));
  filterAttrs =
    keeps: set: removeAttrs set (filter (name: !keeps name set.${name}) (attrNames set));
  mapAttrsToList = function: set: map (name: function name set.${name}) (attrNames set);
  attrValues = builtins.attrValues;
  importTOML = path: builtins.fromTOML (builtins.readFile path);

  composeExtensions =
    first: second: final: prev:
    let
      base = first final prev;
    in
    base // second final (prev // base);
  composeManyExtensions = foldl' composeExtensions (_: _: { });

  # Returns the path of the main program, as declared and not guessed.
  getExe = package: "${package}/bin/${package.meta.mainProgram}";

  fileset = {
    unions = concatMap present;
    maybeMissing = path: if pathExists path then [ path ] else [ ];
    difference = positive: negative: filter (path: !builtins.elem path (present negative)) (present positive);
    toSource =
      { root, fileset }:
      assert pathExists root;
      {
        name = "source";
        outPath = "/stub/source";
        paths = map toString (present fileset);
      };
  };

  # Not in nixpkgs: what a stub needs to say that an attribute set holds exactly what was declared.
  only =
    declared: set:
    let
      undeclared = filter (name: !builtins.elem name declared) (attrNames set);
    in
    if undeclared == [ ] then set else throw "undeclared: ${toString undeclared}";
}
