"""Names of columns that look the same to people."""

import re
import unicodedata

# characters without a look of their own, by the property Default_Ignorable_Code_Point of Unicode
_UNSEEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
_UNSEEN += "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_UNSEEN += "\U000e0000-\U000e0fff"


def looks(name: str) -> str:
    """The name of a column without what nobody sees in it: names that look the same give the same."""
    return re.sub(r"\s", " ", unicodedata.normalize("NFC", re.sub(f"[{_UNSEEN}]", "", name)))
