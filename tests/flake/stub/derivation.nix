# A stand-in for a derivation: it has a name and a place, holds what it was given so that evaluating
# it strictly evaluates that too, and can be overridden. `allowed` names the attributes it may be given.
lib:
let
  derivationOf =
    allowed: attributes:
    let
      given = lib.only allowed attributes;
      name = given.pname or given.name;
    in
    {
      inherit name given;
      type = "derivation";
      outPath = "/stub/${name}";
      meta = {
        mainProgram = name;
      }
      // (given.meta or { });
      overrideAttrs =
        change:
        derivationOf allowed (
          attributes // (if builtins.isFunction change then change attributes else change)
        );
    };
in
derivationOf
