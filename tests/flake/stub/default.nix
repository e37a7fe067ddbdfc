# Stand-ins for the inputs of flake.nix, for a machine that cannot fetch them. They declare what the
# real inputs are used for, read the same lock files, and fail on whatever was not declared.
let
  lib = import ./lib.nix;
  derivationOf = import ./derivation.nix lib;
in
{
  nixpkgs = {
    outPath = ./nixpkgs;
    inherit lib;
  };

  rust-overlay.overlays.default = _: _: {
    rust-bin.fromRustupToolchainFile =
      file:
      let
        toolchain = lib.only [
          "channel"
          "components"
          "profile"
        ] (lib.importTOML file).toolchain;
      in
      derivationOf [
        "name"
        "toolchain"
      ] {
        name = "rust-${toolchain.channel}";
        inherit toolchain;
      };
  };

  # A package set is a fixed point over overlays; here it starts with what overlays may ask it for.
  pyproject-nix.build.packages =
    { python }:
    {
      overrideScope =
        overlay:
        let
          final = start // overlay final start;
          start = {
            resolveBuildSystem = builtins.attrNames;
            mkVirtualEnv =
              name: dependencies:
              derivationOf
                [
                  "name"
                  "python"
                  "members"
                ]
                {
                  inherit name python;
                  members =
                    assert builtins.all (member: final ? ${member}) (builtins.attrNames dependencies);
                    builtins.attrValues (removeAttrs final (builtins.attrNames start ++ [ "setuptools" ]));
                };
          };
        in
        final;
    };

  pyproject-build-systems.overlays.wheel = _: _: { setuptools = { }; };

  uv2nix.lib.workspace.loadWorkspace =
    { workspaceRoot }:
    let
      lock = lib.importTOML (workspaceRoot + "/uv.lock");
      project = lib.importTOML (workspaceRoot + "/pyproject.toml");
      packages = lib.genAttrs (map (entry: entry.name) lock.package) (
        name:
        derivationOf [
          "name"
          "nativeBuildInputs"
          "src"
        ] { inherit name; }
      );
    in
    {
      deps.all.${project.project.name} = builtins.attrNames project.dependency-groups;
      mkPyprojectOverlay = { sourcePreference }: assert sourcePreference == "wheel"; _: _: packages;
    };
}
