# Stands for `import nixpkgs { … }`: the packages and builders that flake.nix uses, and no others.
# Builders check what the real ones would only find out while building.
{ system, overlays }:
let
  lib = import ../lib.nix;
  derivationOf = import ../derivation.nix lib;
  package =
    name:
    derivationOf [
      "name"
      "meta"
    ] { inherit name; };

  hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;

  # Nix fetches crates by the checksum in Cargo.lock; a crate from git would need its hash here.
  readCargoLock =
    { lockFile }:
    map (
      crate:
      if !(crate ? source) then
        crate.name
      else if hasPrefix "registry+" crate.source && crate ? checksum then
        crate.name
      else
        throw "${crate.name} in ${toString lockFile} has no checksum"
    ) (lib.importTOML lockFile).package;

  base = {
    inherit system;

    makeRustPlatform =
      { cargo, rustc }:
      assert cargo.type == "derivation" && rustc.type == "derivation";
      {
        buildRustPackage =
          attributes:
          let
            crates = readCargoLock attributes.cargoLock;
          in
          assert builtins.elem attributes.pname crates;
          derivationOf
            [
              "pname"
              "version"
              "src"
              "sourceRoot"
              "crates"
              "cargoLock"
              "cargoBuildFlags"
              "cargoTestFlags"
              "doCheck"
              "installPhase"
              "doInstallCheck"
              "installCheckPhase"
              "meta"
            ]
            (attributes // { inherit crates; });
      };

    buildGoModule =
      attributes:
      assert builtins.match "sha256-[A-Za-z0-9+/]{43}=" attributes.vendorHash != null;
      assert builtins.all (
        folder: builtins.pathExists (../../../.. + "/${attributes.modRoot}/${folder}")
      ) attributes.subPackages;
      derivationOf [
        "pname"
        "version"
        "src"
        "modRoot"
        "subPackages"
        "vendorHash"
        "buildPhase"
        "installPhase"
        "postInstall"
        "doCheck"
        "doInstallCheck"
        "installCheckPhase"
        "meta"
      ] attributes;

    # The packages of package-lock.json: each is fetched by the checksum there.
    importNpmLock.buildNodeModules =
      { npmRoot, nodejs }:
      let
        lock = builtins.fromJSON (builtins.readFile (npmRoot + "/package-lock.json"));
        locked = lib.only (builtins.attrNames lock) lock;
        unsafe = builtins.filter (
          name:
          let
            entry = locked.packages.${name};
          in
          entry ? resolved && !(entry.link or false) && !(entry ? integrity)
        ) (builtins.attrNames locked.packages);
      in
      assert nodejs.type == "derivation";
      assert unsafe == [ ];
      derivationOf [ "name" "npmRoot" ] {
        name = "node-modules";
        inherit npmRoot;
      };

    callPackage = function: arguments: function arguments;
    python313 = package "python3-3.13";
    texliveSmall.withPackages =
      choose:
      derivationOf
        [
          "name"
          "chosen"
        ]
        {
          name = "texlive";
          chosen = choose (
            lib.genAttrs [
              "collection-latexrecommended"
              "collection-latexextra"
              "collection-fontsrecommended"
              "collection-mathscience"
              "latexmk"
              "lm"
              "cm-super"
            ] package
          );
        };

    mkShell =
      attributes:
      derivationOf [
        "name"
        "packages"
        "env"
        "shellHook"
      ] ({ name = "nix-shell"; } // attributes);
    dockerTools = {
      buildLayeredImage = derivationOf [
        "name"
        "tag"
        "contents"
        "extraCommands"
        "config"
      ];
      fakeNss = package "fake-nss";
      usrBinEnv = package "usr-bin-env";
    };
    makeFontsConf =
      { fontDirectories }:
      derivationOf
        [
          "name"
          "fontDirectories"
        ]
        {
          name = "fonts.conf";
          inherit fontDirectories;
        };
    symlinkJoin = derivationOf [
      "name"
      "paths"
    ];
    runCommand =
      name: attributes: script:
      derivationOf [
        "name"
        "script"
        "nativeBuildInputs"
        "src"
      ] (attributes // { inherit name script; });
    writeShellApplication = derivationOf [
      "name"
      "runtimeInputs"
      "text"
    ];
  }
  // lib.genAttrs [
    "bashInteractive"
    "chromedriver"
    "chromium"
    "coreutils"
    "dejavu_fonts"
    "findutils"
    "git"
    "gnugrep"
    "gnused"
    "go"
    "just"
    "lmodern"
    "makeWrapper"
    "nixfmt-tree"
    "nodejs_22"
    "util-linux"
    "uv"
  ] package;
in
builtins.foldl' (packages: overlay: packages // overlay packages packages) base overlays
