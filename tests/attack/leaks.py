"""Personal values that tests give to the software, and a check that no text shows one."""

import re

# values of a person, which no message, log, certificate or table of the results may show
HOUR, TEXT, LATITUDE, LONGITUDE, NAME = 13.370913, "13:37:09", 47.370913, 8.370913, "zqx3709"
SECRETS = re.compile("3709|13:37|13\\.37|47\\.37|8\\.37|2\\.3709|zqx", re.IGNORECASE)


def texts_of(error):
    """What a traceback would print of an error: its own text, and those of the errors that it names."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error), *getattr(error, "__notes__", ())]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return texts


def leaked(*texts):
    """The personal values in some texts."""
    return sorted({found[0] for text in texts for found in SECRETS.finditer(str(text))})
