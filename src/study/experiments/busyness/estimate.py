"""Hours of venues from the reports of Figures 8 and 12, with the known noise taken out, beside other estimates.

Each check-in's time and place are randomised by the first mechanism, as in ``simulate.py``, and the venues are those
with enough check-ins. Of one set of reports, the hours of each venue are estimated in five ways:

``raw``          the hours of the reports that are snapped to the venue, as the papers do
``deconvolved``  the same reports, with the noise of times and places taken out
``table``        the same of other reports: each check-in releases a venue of the public list at its level, and a time
``city``         the hours of all reports, with the noise of times taken out, given to every venue
``uniform``      equally busy at all hours; it needs no reports

The metric ``emd`` is the mean over the venues. ``excess`` is the EMD of ``deconvolved`` less that of the estimate.
Both are means over repetitions with other noise, of the same check-ins, and their intervals are for these very venues.
A larger file is represented by a random sample of its check-ins.
"""

import numpy as np

from dirpriv import estimators, geometry
from dirpriv.estimators import transport
from dirpriv.release import FiniteRelease
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness.simulate import HOURS, BusynessSimulation, add_counts, distances
from study.experiments.busyness.snapping import SnappingIndex
from study.experiments.busyness.surroundings import Surroundings
from study.simulation import seeding
from study.simulation.estimates import mean_of_draws, tidy_row
from study.simulation.mechanisms import usual
from study.workflow.job import job, with_progress, write_rows
