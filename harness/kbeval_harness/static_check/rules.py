"""The rule table: the one place that lists every rule of the static check.

A code never changes its meaning and is never given to another rule. The hundreds group rules by what they
look at:
1 source text, 2 structure, 3 imports, 4 names, 5 assignment, 6 kernels, 7 native build, 8 native source, 9
warnings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its stable code, its short name and one line that says what is asked."""

    code: str
    name: str
    summary: str

    @property
    def is_warning(self) -> bool:
        """Warnings are reported beside the verdict and never change it."""
        return self.code.startswith("KB9")


RULES: tuple[Rule, ...] = (
    Rule("KB101", "source-too-large", "the source is at most 1 MiB"),
    Rule("KB102", "not-utf8", "the source is valid UTF-8"),
    Rule("KB103", "byte-order-mark", "the source does not start with a byte order mark"),
    Rule("KB104", "nul-byte", "the source holds no NUL byte"),
    Rule("KB105", "non-ascii", "the source is ASCII, comments and strings included"),
    Rule(
        "KB106",
        "control-character",
        "no control character but tab and line feed (CRLF line ends are accepted)",
    ),
    Rule("KB107", "syntax-error", "the source parses as Python"),
    Rule("KB108", "nesting-too-deep", "expressions and blocks nest at most 400 deep"),
    Rule("KB109", "program-too-large", "the program has at most 250000 syntax nodes"),
    Rule("KB110", "encoding-declaration", "an encoding declaration names only ASCII or UTF-8"),
    Rule("KB111", "aliases-too-tangled", "what names stand for can be followed in 200000 steps"),
    Rule("KB201", "model-new-missing", "a class ModelNew is defined at module level"),
    Rule("KB202", "reference-model-defined", "nothing is named Model, which is the reference"),
    Rule("KB203", "model-new-rebound", "ModelNew is bound once, by its class statement"),
    Rule(
        "KB204",
        "base-class-not-allowed",
        "classes derive from torch.nn modules, autograd.Function, plain or own classes",
    ),
    Rule("KB205", "class-keyword", "class statements take no keywords such as metaclass"),
    Rule("KB206", "decorator-not-allowed", "only listed decorators are used"),
    Rule(
        "KB207",
        "exception-handler",
        "exceptions are not caught, so that a failing kernel cannot fall back unseen",
    ),
    Rule("KB208", "dunder-definition", "only listed double-underscore names are defined"),
    Rule("KB209", "async-code", "no async functions, await or async loops"),
    Rule("KB301", "import-not-allowed", "only listed modules are imported"),
    Rule("KB302", "relative-import", "imports are absolute"),
    Rule("KB303", "star-import", "imported names are spelled out"),
    Rule("KB401", "name-not-allowed", "only permitted names of imported modules are used"),
    Rule(
        "KB402",
        "builtin-not-allowed",
        "builtins that reach code, scopes, files or attributes by name are not used",
    ),
    Rule(
        "KB403", "getattr-form", "getattr and hasattr are called with a literal, non-private attribute name"
    ),
    Rule("KB404", "module-as-value", "a module is used only to reach its names, never passed or stored"),
    Rule("KB405", "private-attribute", "no private attribute but the class's own"),
    Rule("KB406", "dunder-attribute", "no double-underscore attribute but __init__ of a base"),
    Rule(
        "KB407",
        "reflective-attribute",
        "no attribute that leads to frames, code objects, files or torch.compile",
    ),
    Rule("KB408", "super-form", "super() is used only to reach a method"),
    Rule("KB409", "format-attribute", "str.format is called on a literal whose fields reach no attributes"),
    Rule("KB410", "type-form", "type is called with one argument, and only to compare its result"),
    Rule("KB411", "unbound-method", "a method of an own class is reached through an instance"),
    Rule(
        "KB501",
        "attribute-assignment",
        "attributes are assigned only as self.<x> in methods (ctx.<x> in autograd)",
    ),
    Rule("KB502", "attribute-deletion", "attributes are not deleted"),
    Rule("KB503", "self-rebound", "self is bound only as the first parameter of a method"),
    Rule("KB504", "module-internal", "internals of torch.nn.Module are not replaced"),
    Rule("KB601", "no-own-kernel", "the source defines at least one kernel of its own"),
    Rule("KB602", "library-kernel-name", "no kernel has the name of a well-known library kernel"),
    Rule("KB701", "load-inline-form", "load_inline is called directly, with plain arguments"),
    Rule("KB702", "load-inline-argument", "only listed arguments of load_inline are used"),
    Rule("KB703", "build-flag", "compiler and linker flags are literals from the list of safe forms"),
    Rule(
        "KB704",
        "native-source-unreadable",
        "native sources are strings that can be read without running the program",
    ),
    Rule("KB705", "extension-name", "an extension's name is a literal identifier that shadows no module"),
    Rule("KB801", "include-not-allowed", "only listed headers are included"),
    Rule(
        "KB802",
        "native-name-not-allowed",
        "native code names no process, loader, memory-map, thread or settings call",
    ),
    Rule(
        "KB803", "load-time-code", "native code asks for nothing to be run on load or symbols to be replaced"
    ),
    Rule(
        "KB804", "assembly-directive", "inline assembly holds instructions, no directives and no system calls"
    ),
    Rule("KB805", "pragma-not-allowed", "only listed pragmas are used"),
    Rule("KB806", "preprocessor-trick", "no preprocessor directive or spelling that hides what is compiled"),
    Rule("KB901", "kernel-not-referenced", "a kernel is defined but named nowhere else in the source"),
    Rule("KB902", "global-state", "a global or nonlocal statement: state may outlive a call"),
    Rule("KB903", "library-like-kernel-name", "a kernel is named in the manner of a library's kernels"),
    Rule(
        "KB904",
        "native-library-call",
        "native code calls a library's operator, whose kernels are not the candidate's",
    ),
    Rule("KB905", "reader-addressed-text", "comments and strings speak to nobody who reviews the source"),
)

BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
