"""Personal values that tests give to the software, and a check that no text shows one."""

import pickle
import re

# values of a person, which no message, log, certificate or table of the results may show
HOUR, TEXT, LATITUDE, LONGITUDE, NAME = 13.370913, "13:37:09", 47.370913, 8.370913, "zqx3709"
SECRETS = re.compile("3709|13:37|13\\.37|47\\.37|8\\.37|2\\.3709|zqx", re.IGNORECASE)


def texts_of(error):
    """All texts that an error carries: its own, its fields, notes and pickle, and those of all behind it.

    Causes count, and contexts too where ``raise ... from None`` hides them from a traceback: a debugger and a
    reporter of errors read them.
    """
    texts, waiting, seen = [], [error], set()
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        texts += [str(error), repr(error), *map(repr, error.args), *getattr(error, "__notes__", ())]
        texts += [repr(value) for value in vars(error).values()]
        texts += [repr(getattr(error, name, "")) for name in ("argument", "rule", "got", "row", "hint")]
        texts.append(pickled(error))
        waiting += [error.__cause__, error.__context__]
    return texts


def pickled(error):
    """What another process would get of an error, as text; empty where it cannot be sent."""
    try:
        return pickle.dumps(error, protocol=0).decode("latin-1")
    except (TypeError, AttributeError, pickle.PicklingError):
        return ""


def leaked(*texts):
    """The personal values in some texts."""
    return sorted({found[0] for text in texts for found in SECRETS.finditer(str(text))})
