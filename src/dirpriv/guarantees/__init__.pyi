from dirpriv.distributions.shared.privacy_blanket import ShufflingParameters as ShufflingParameters
from dirpriv.guarantees import audit as audit
from dirpriv.guarantees import utility_audit as utility_audit
from dirpriv.guarantees.composition import composed_level as composed_level
from dirpriv.guarantees.levels import Guarantee as Guarantee
from dirpriv.guarantees.levels import from_distribution as from_distribution
from dirpriv.guarantees.levels import largest_concentration as largest_concentration
from dirpriv.guarantees.levels import metric_level as metric_level
from dirpriv.guarantees.levels import privacy_loss_at as privacy_loss_at
from dirpriv.guarantees.levels import privacy_loss_within as privacy_loss_within
from dirpriv.guarantees.levels import pure_level as pure_level
from dirpriv.guarantees.renyi import renyi_divergence as renyi_divergence
from dirpriv.guarantees.shuffling import shuffled_delta as shuffled_delta
from dirpriv.guarantees.shuffling import shuffled_level as shuffled_level
from dirpriv.guarantees.shuffling import shuffled_sample_size_ratio as shuffled_sample_size_ratio

__all__: list[str]
