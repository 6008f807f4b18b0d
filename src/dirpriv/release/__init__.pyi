from dirpriv.exact.central import CentralRelease as CentralRelease
from dirpriv.exact.certificates import CircleCertificate as CircleCertificate
from dirpriv.exact.certificates import PlaceCertificate as PlaceCertificate
from dirpriv.exact.circle import CircleRelease as CircleRelease
from dirpriv.exact.circle_table_distribution import CircleTableDistribution as CircleTableDistribution
from dirpriv.exact.plane import PlaneRelease as PlaneRelease
from dirpriv.exact.plane_table_distribution import PlaneTableDistribution as PlaneTableDistribution
from dirpriv.exact.sphere import Partition as Partition
from dirpriv.exact.sphere import SphereRelease as SphereRelease
from dirpriv.exact.sphere import SphereTableDistribution as SphereTableDistribution
from dirpriv.release.columns import places as places
from dirpriv.release.columns import shuffle_keys as shuffle_keys
from dirpriv.release.columns import times as times
from dirpriv.release.files.central import central_mean as central_mean
from dirpriv.release.files.release import file as file
from dirpriv.release.files.released_counts import ReleasedPlaces as ReleasedPlaces
from dirpriv.release.files.released_counts import ReleasedTimes as ReleasedTimes
from dirpriv.release.files.released_counts import read_released as read_released
from dirpriv.release.guarantee.columns import HeadingColumn as HeadingColumn
from dirpriv.release.guarantee.columns import PlaceColumns as PlaceColumns
from dirpriv.release.guarantee.columns import TimeColumn as TimeColumn
from dirpriv.release.guarantee.file import EarlierRelease as EarlierRelease
from dirpriv.release.guarantee.file import FileGuarantee as FileGuarantee
from dirpriv.release.guarantee.file import read_guarantee as read_guarantee
from dirpriv.release.settings import CentralFileSettings as CentralFileSettings
from dirpriv.release.settings import LocalFileSettings as LocalFileSettings

__all__: list[str]
