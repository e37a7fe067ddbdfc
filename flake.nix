{
  description = "nizk-bench: proof systems measured on one statement, under one clock, and the paper made from it";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";
    rust-overlay = {
      url = "github:oxalica/rust-overlay";
      inputs.nixpkgs.follows = "nixpkgs";
    };
    pyproject-nix = {
      url = "github:pyproject-nix/pyproject.nix";
      inputs.nixpkgs.follows = "nixpkgs";
    };
    uv2nix = {
      url = "github:pyproject-nix/uv2nix";
      inputs.nixpkgs.follows = "nixpkgs";
      inputs.pyproject-nix.follows = "pyproject-nix";
    };
    pyproject-build-systems = {
      url = "github:pyproject-nix/build-system-pkgs";
      inputs.nixpkgs.follows = "nixpkgs";
      inputs.pyproject-nix.follows = "pyproject-nix";
      inputs.uv2nix.follows = "uv2nix";
    };
  };

  outputs =
    {
      nixpkgs,
      rust-overlay,
      pyproject-nix,
      uv2nix,
      pyproject-build-systems,
      ...
    }:
    let
      inherit (nixpkgs) lib;

      # Everything for one machine; the outputs below only pick from it.
      environments = lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] (
        system:
        let
          pkgs = import nixpkgs {
            inherit system;
            overlays = [ rust-overlay.overlays.default ];
          };

          # Runners read the known answers and the schemas when they are compiled or tested, so these
          # are part of their source; what cargo, go and npm leave behind is not.
          leftBehind = lib.fileset.unions (
            map lib.fileset.maybeMissing [
              ./provers/target
              ./provers/vendor
              ./provers/zokrates/node_modules
            ]
          );
          proverSource = lib.fileset.toSource {
            root = ./.;
            fileset = lib.fileset.difference (lib.fileset.unions [
              ./provers
              ./data/schema
              ./data/vectors
            ]) leftBehind;
          };
          inherit ((lib.importTOML ./provers/Cargo.toml).workspace.package) version;

          rustToolchain = pkgs.rust-bin.fromRustupToolchainFile ./provers/rust-toolchain.toml;
          rustPlatform = pkgs.makeRustPlatform {
            cargo = rustToolchain;
            rustc = rustToolchain;
          };

          # What the launchers of programs in Node look for.
          onOneProcessor = lib.makeBinPath [
            pkgs.nodejs_22
            pkgs.util-linux
          ];

          # `describe` is the receipt that a runner runs at all.
          describes = binary: ''
            runHook preInstallCheck
            $out/bin/${binary} describe > /dev/null
            runHook postInstallCheck
          '';

          rustRunner =
            folder:
            rustPlatform.buildRustPackage {
              pname = "nizk-${folder}";
              inherit version;
              src = proverSource;
              sourceRoot = "${proverSource.name}/provers";
              cargoLock.lockFile = ./provers/Cargo.lock;
              cargoBuildFlags = [
                "--package"
                "nizk-${folder}"
                # As in the Snakefile, for the same builds of libraries as in the plain program.
                "--bins"
                "--examples"
              ];
              cargoTestFlags = [ "--workspace" ];
              doCheck = false; # `checks` runs the tests; whoever only wants to measure need not wait
              doInstallCheck = true;
              installCheckPhase = describes "nizk-${folder}";
              meta.mainProgram = "nizk-${folder}";
            };

          # What runs is the source itself, beside what `with` puts there; its launcher finds them.
          scriptRunner =
            folder: protocol: path: with_:
            pkgs.runCommand "nizk-${folder}" {
              nativeBuildInputs = [ pkgs.makeWrapper ];
              src = lib.fileset.toSource {
                root = ./provers;
                fileset = lib.fileset.difference (lib.fileset.unions [
                  (./provers + "/${protocol}")
                  (./provers + "/${folder}")
                ]) leftBehind;
              };
            } ''
              mkdir -p $out/bin $out/libexec
              cp --recursive --no-preserve=mode $src/${protocol} $src/${folder} $out/libexec/
              find $out/libexec/${folder} -type f -exec grep --files-with-matches '^#!/bin/sh' {} + \
                | xargs chmod +x
              ${with_}
              makeWrapper $out/libexec/${folder}/nizk-${folder} $out/bin/nizk-${folder} --prefix PATH : ${path}
              $out/bin/nizk-${folder} describe > /dev/null
            '';

          goRunner =
            folder:
            pkgs.buildGoModule {
              pname = "nizk-${folder}";
              inherit version;
              src = proverSource;
              modRoot = "provers";
              subPackages = [ folder ];
              # The hash of what `go mod vendor` makes from go.sum; tests/flake computes it again.
              vendorHash = "sha256-Awpyif/DBYpVteB1/to4s2epojAWU2aPwA7VsQsn3y0=";
              postInstall = "mv $out/bin/${folder} $out/bin/nizk-${folder}";
              doCheck = false;
              doInstallCheck = true;
              installCheckPhase = describes "nizk-${folder}";
              meta.mainProgram = "nizk-${folder}";
            };

          nodeRunner =
            folder:
            scriptRunner folder "protocol-js" onOneProcessor ''
              cp --recursive ${
                pkgs.importNpmLock.buildNodeModules {
                  npmRoot = ./provers + "/${folder}";
                  nodejs = pkgs.nodejs_22;
                }
              }/node_modules $out/libexec/${folder}/
            '';

          pythonRunner = folder: scriptRunner folder "protocol-py" "${python}/bin" "";

          # The folders with a runner.toml, which says in which language it is.
          described = lib.mapAttrs (folder: _: lib.importTOML (./provers + "/${folder}/runner.toml")) (
            lib.filterAttrs (
              folder: _: builtins.pathExists (./provers + "/${folder}/runner.toml")
            ) (builtins.readDir ./provers)
          );
          runners = lib.mapAttrs (
            folder: runner:
            {
              rust = rustRunner;
              go = goRunner;
              node = nodeRunner;
              python = pythonRunner;
            }
            .${runner.language}
              folder
          ) described;

          # Programs that measure what is no proof of a statement.
          programs.hash-speed = rustRunner "hash-speed";

          # What `nizkbench overhead` compares a runner with: the benchmark `plain` of its package. It is
          # built apart, since whoever only measures needs none.
          rustPlain =
            folder:
            (rustRunner folder).overrideAttrs {
              pname = "plain-${folder}";
              cargoBuildFlags = [
                "--package"
                "nizk-${folder}"
                "--bench"
                "plain"
              ];
              # Cargo puts a hash behind the name of such an executable, and installs none of them.
              installPhase = ''
                install -D "$(find target -type f -executable -name 'plain-*' -print -quit)" \
                  $out/bin/plain-${folder}
              '';
              doInstallCheck = false;
              meta.mainProgram = "plain-${folder}";
            };

          goPlain =
            folder:
            (goRunner folder).overrideAttrs {
              pname = "plain-${folder}";
              buildPhase = "go test -c -o plain-${folder} ./${folder}";
              installPhase = "install -D plain-${folder} $out/bin/plain-${folder}";
              doInstallCheck = false;
              meta.mainProgram = "plain-${folder}";
            };

          scriptPlain =
            path: folder:
            pkgs.runCommand "plain-${folder}" { nativeBuildInputs = [ pkgs.makeWrapper ]; } ''
              mkdir -p $out/bin
              makeWrapper ${runners.${folder}}/libexec/${folder}/plain-${folder} $out/bin/plain-${folder} \
                --prefix PATH : ${path}
            '';

          plainPrograms = lib.mapAttrs' (
            folder: runner:
            lib.nameValuePair "plain-${folder}" (
              {
                rust = rustPlain;
                go = goPlain;
                node = scriptPlain onOneProcessor;
                python = scriptPlain "${python}/bin";
              }
              .${runner.language}
                folder
            )
          ) (lib.filterAttrs (_: runner: runner ? plain) described);

          # All that `just build` puts into build/bin/ where there is no Nix.
          binaries = pkgs.symlinkJoin {
            name = "nizk-bench-binaries";
            paths = lib.attrValues (runners // programs // plainPrograms);
          };

          workspace = uv2nix.lib.workspace.loadWorkspace { workspaceRoot = ./.; };
          pythonPackages =
            (pkgs.callPackage pyproject-nix.build.packages { python = pkgs.python313; }).overrideScope
              (
                lib.composeManyExtensions [
                  pyproject-build-systems.overlays.wheel
                  (workspace.mkPyprojectOverlay { sourcePreference = "wheel"; })
                  (
                    final: prev:
                    {
                      # Only what the wheel is made from, so that other edits do not build it again.
                      nizkbench = prev.nizkbench.overrideAttrs {
                        src = lib.fileset.toSource {
                          root = ./.;
                          fileset = lib.fileset.unions [
                            ./pyproject.toml
                            ./README.md
                            ./nizkbench
                          ];
                        };
                      };
                    }
                    # uv.lock knows no build systems: a package without a wheel has to be told its own.
                    // lib.genAttrs [ "connection-pool" ] (
                      name:
                      prev.${name}.overrideAttrs (old: {
                        nativeBuildInputs =
                          (old.nativeBuildInputs or [ ]) ++ final.resolveBuildSystem { setuptools = [ ]; };
                      })
                    )
                  )
                ]
              );
          python = pythonPackages.mkVirtualEnv "nizkbench-env" workspace.deps.all;

          # The same collections that ./enter takes from Debian.
          tex = pkgs.texliveSmall.withPackages (ctan: [
            ctan.collection-latexrecommended
            ctan.collection-latexextra
            ctan.collection-fontsrecommended
            ctan.collection-mathscience
            ctan.latexmk
            ctan.lm
            ctan.cm-super
          ]);

          # What measuring, analysing and typesetting need, in the shell and in the image alike.
          tools = [
            binaries
            rustToolchain
            pkgs.go
            pkgs.nodejs_22
            pkgs.util-linux
            python
            tex
            pkgs.chromium
            pkgs.chromedriver # tests open the report in the browser
            pkgs.git
            pkgs.uv # locks a package that someone adds
          ];
          variables = {
            # Whoever edits a runner unsets this, and `just build` makes it in build/bin/ again.
            NIZK_BENCH_BIN = "${binaries}/bin";
            # kaleido draws with this browser and these fonts, and no others of the machine.
            BROWSER_PATH = "${pkgs.chromium}/bin/chromium";
            FONTCONFIG_FILE = pkgs.makeFontsConf {
              fontDirectories = [
                pkgs.lmodern
                pkgs.dejavu_fonts
              ];
            };
            LC_ALL = "C.UTF-8";
            GOTOOLCHAIN = "local";
          };

          # For evaluators without Nix: the environment as an image, which works on a clone that is
          # mounted at /nizk-bench: docker run --volume "$PWD":/nizk-bench nizk-bench:VERSION just claims
          # The runners are in it, built; to build others it lacks a C compiler, which links them.
          container = pkgs.dockerTools.buildLayeredImage {
            name = "nizk-bench";
            tag = (lib.importTOML ./pyproject.toml).project.version;
            contents = tools ++ [
              pkgs.bashInteractive
              pkgs.coreutils
              pkgs.findutils
              pkgs.gnugrep
              pkgs.gnused
              pkgs.dockerTools.fakeNss
              pkgs.dockerTools.usrBinEnv
            ];
            extraCommands = "mkdir -m 1777 tmp";
            config = {
              Cmd = [ "just" ];
              WorkingDir = "/nizk-bench";
              Env = lib.mapAttrsToList (name: value: "${name}=${value}") (
                variables
                // {
                  PYTHONPATH = "/nizk-bench";
                  HOME = "/tmp";
                  # Git reads no clone of another owner without it, and a run would have no revision.
                  GIT_CONFIG_COUNT = "1";
                  GIT_CONFIG_KEY_0 = "safe.directory";
                  GIT_CONFIG_VALUE_0 = "/nizk-bench";
                }
              );
            };
          };

          # What can be done, for `nix run`; doing it needs the shell.
          listing = pkgs.writeShellApplication {
            name = "nizk-bench";
            runtimeInputs = [ pkgs.just ];
            text = ''
              echo 'In a clone of nizk-bench: ./enter just RECIPE, where RECIPE is one of'
              just --justfile ${./Justfile} --list --unsorted --list-heading ""
            '';
          };
        in
        {
          packages =
            runners
            // programs
            // plainPrograms
            // {
              inherit container python tex;
              default = binaries;
            };

          shell = pkgs.mkShell {
            packages = tools;
            env = variables;
            # The environment holds a built nizkbench; what is imported in a clone is that of the clone.
            shellHook = ''
              unset PYTHONPATH
              if [ -e "$(git rev-parse --show-toplevel 2>/dev/null)/provers/PROTOCOL.md" ]; then
                export PYTHONPATH="$(git rev-parse --show-toplevel)"
              fi
            '';
          };

          app = {
            type = "app";
            program = lib.getExe listing;
            meta.description = "What can be done here";
          };

          checks =
            # Any one of the Rust packages carries the tests of the whole workspace, and one of Go's
            # those of every runner in Go.
            {
              rust = runners.winterfell.overrideAttrs {
                pname = "nizk-bench-rust-tests";
                doCheck = true;
              };
              go = runners.gnark.overrideAttrs {
                pname = "nizk-bench-go-tests";
                subPackages = [
                  "protocol-go"
                ]
                ++ builtins.attrNames (lib.filterAttrs (_: runner: runner.language == "go") described);
                doCheck = true;
              };
              python =
                pkgs.runCommand "nizk-bench-python-lint"
                  {
                    nativeBuildInputs = [ python ];
                    src = lib.fileset.toSource {
                      root = ./.;
                      fileset = lib.fileset.difference (lib.fileset.unions [
                        ./pyproject.toml
                        ./nizkbench
                        ./provers
                        ./tests
                      ]) leftBehind;
                    };
                  }
                  ''
                    cd $src
                    ruff format --no-cache --check
                    ruff check --no-cache
                    mypy --cache-dir=/dev/null
                    touch $out
                  '';
            };

          formatter = pkgs.nixfmt-tree;
        }
      );

      pick = name: lib.mapAttrs (_: environment: environment.${name}) environments;
      pickDefault = name: lib.mapAttrs (_: environment: { default = environment.${name}; }) environments;
    in
    {
      packages = pick "packages";
      checks = pick "checks";
      formatter = pick "formatter";
      devShells = pickDefault "shell";
      apps = pickDefault "app";
    };
}
