"use strict";

/* The numbers of levels.html: closed forms of the distributions of dirpriv on the circle and in the plane.

   Angles are in radians; half a turn (π) is 12 hours. A distribution here has its density on both sides of the true
   value, the quantiles and the mean of the angle between report and true value, E cos θ, E sin² θ, and the
   largest privacy loss between two inputs at a distance. tests/dirpriv/test_level_page.py holds every one of
   these numbers against the library. */

const Distributions = (() => {
  const { PI, abs, asinh, ceil, cos, exp, expm1, log, log1p, min, sin, sinh, sqrt, tanh } = Math;

  const HALF_DAY = 720; // minutes in π
  const SHARES = [0.5, 0.68, 0.95];
  const TWENTY_MINUTES = PI * 20 / HALF_DAY;
  const DELTA = 1e-6; // of normal noise

  // ---------------------------------------------------------------- distributions on the circle

  /* Density ∝ exp(-κθ): dirpriv.distributions.Purkayastha(dim=2). */
  function purkayastha(kappa) {
    const within = -expm1(-kappa * PI);
    return {
      kappa,
      density: (theta) => kappa * exp(-kappa * theta) / (2 * within),
      quantile: (share) => -log1p(-share * within) / kappa,
      meanAngle: 1 / kappa - PI / expm1(kappa * PI),
      meanCosine: kappa ** 2 / (1 + kappa ** 2) / tanh(kappa * PI / 2),
      meanSquaredSine: 2 / (4 + kappa ** 2),
      loss: (distance) => kappa * distance,
    };
  }

  /* Density ∝ exp(κ cos θ): dirpriv.distributions.VonMisesFisher(dim=2).

     The Fourier coefficients are a_j = I_j(κ)/I_0(κ). Their ratios r_j = I_{j+1}/I_j follow from Gauss'
     continued fraction r_j = 1/(2 (j+1)/κ + r_{j+1}), taken from so large a j that the rest is below 1e-17. */
  function vonMisesFisher(kappa) {
    const last = ceil(30 + 12 * sqrt(kappa));
    const ratios = new Array(last + 1).fill(0);
    for (let j = last - 1; j >= 0; j--) ratios[j] = 1 / (2 * (j + 1) / kappa + ratios[j + 1]);
    const coefficients = [1];
    for (let j = 0; j < last; j++) coefficients.push(coefficients[j] * ratios[j]);
    const series = (term) => coefficients.reduce((sum, a, j) => (j ? sum + a * term(j) : sum), 0);
    const peak = (1 + 2 * series(() => 1)) / (2 * PI);
    const cdf = (theta) => (theta + 2 * series((j) => sin(j * theta) / j)) / PI;
    return {
      kappa,
      density: (theta) => peak * exp(-2 * kappa * sin(theta / 2) ** 2),
      quantile: (share) => bisect((theta) => cdf(theta) - share, 0, PI),
      meanAngle: PI / 2 - 4 / PI * series((j) => (j % 2 ? 1 / j ** 2 : 0)),
      meanCosine: ratios[0],
      meanSquaredSine: ratios[0] / kappa,
      loss: (distance) => 2 * kappa * sin(distance / 2),
    };
  }

  /* Density ∝ cosh κ(π - θ), Laplace noise modulo one turn: dirpriv.distributions.WrappedLaplace. */
  function wrappedLaplace(kappa) {
    const around = exp(-2 * kappa * PI), within = -expm1(-2 * kappa * PI);
    return {
      kappa,
      density: (theta) => kappa * (exp(-kappa * theta) + exp(-kappa * (2 * PI - theta))) / (2 * within),
      quantile(share) {
        const half = (1 - share) * within / 2; // sinh κ(π - θ) = (1 - share) sinh κπ, over exp κπ
        return -log(half + sqrt(half ** 2 + around)) / kappa;
      },
      meanAngle: tanh(kappa * PI / 2) / kappa,
      meanCosine: kappa ** 2 / (1 + kappa ** 2),
      meanSquaredSine: 2 / (4 + kappa ** 2),
      loss: (distance) =>
        kappa * distance + log1p(around) - log1p(exp(-2 * kappa * (PI - distance))),
    };
  }

  /* Density in steps, each e^-κ times as high as the one before: dirpriv.distributions.Staircase(dim=2). It is a
     mixture of even spreads up to the steps and up to π. */
  function steps(kappa, width, offset) {
    const jumps = [];
    for (let end = offset; end < PI; end = offset + jumps.length * width) jumps.push(end);
    const parts = [...jumps, PI].map((end, k) => [end, exp(-kappa * k) * (end < PI ? -expm1(-kappa) : 1)]);
    const sum = (term) => parts.reduce((sofar, [end, height]) => sofar + height * term(end), 0);
    const total = sum((end) => end);
    const lost = sum(sineExcess) / total; // 1 - E cos θ
    return {
      kappa,
      jumps, // of the density, at these angles
      leaps: Array.from({ length: ceil(PI / width * (1 - 1e-12)) }, (_, k) => k * width), // of the loss
      density: (theta) => exp(-kappa * jumps.filter((end) => end < theta).length) / (2 * total),
      quantile: (share) => bisect((theta) => sum((end) => min(end, theta)) / total - share, 0, PI),
      meanAngle: sum((end) => end ** 2 / 2) / total,
      meanCosine: 1 - lost,
      meanSquaredSine: sum((end) => sineExcess(2 * end) / 4) / total,
      loss: (distance) => kappa * min(ceil(distance / width * (1 - 1e-12)), jumps.length),
      // the slope of 1 - E cos θ in the offset, up to a positive factor
      slope: jumps.reduce((sofar, end, k) => sofar + exp(-kappa * k) * (2 * sin(end / 2) ** 2 - lost), 0),
    };
  }

  /* The steps of the radius with the largest E cos θ: dirpriv.mechanisms.StaircaseMechanism. On each side of
     the offset at which the last step comes to π, E cos θ rises up to one offset and falls beyond. */
  function staircase(epsilon, radius) {
    const made = (offset) => steps(epsilon * radius, radius, offset);
    const distance = PI - (ceil(PI / radius) - 1) * radius;
    const [one, other] = [[0, distance], [distance, radius]].map(([low, high]) =>
      made(bisect((offset) => made(offset).slope, low, high)));
    return one.meanCosine >= other.meanCosine ? one : other;
  }

  /* A single step: dirpriv.mechanisms.CapMechanism, with purpose="mean". */
  const cap = (epsilon) => staircase(epsilon, PI);

  /* Density ∝ 1 + tanh(κ/2) cos θ: dirpriv.distributions.Cardioid(dim=2). */
  function cardioid(kappa) {
    const slope = tanh(kappa / 2);
    return {
      kappa,
      density: (theta) => (cos(theta / 2) ** 2 + exp(-kappa) * sin(theta / 2) ** 2) * (1 + slope) / (2 * PI),
      quantile: (share) => bisect((theta) => (theta + slope * sin(theta)) / PI - share, 0, PI),
      meanAngle: PI / 2 - 2 * slope / PI,
      meanCosine: slope / 2,
      meanSquaredSine: 1 / 2,
      loss: (distance) => 2 * asinh(sinh(kappa / 2) * sin(distance / 2)),
    };
  }

  /* x - sin x, by its series where the difference would lose digits. */
  function sineExcess(x) {
    if (x > 1) return x - sin(x);
    let term = x ** 3 / 6, sum = 0;
    for (let k = 4; k < 24; term *= -(x ** 2) / (k * (k + 1)), k += 2) sum += term;
    return sum;
  }

  /* The zero of a rising function, to the last digit. */
  function bisect(rising, low, high) {
    for (let step = 0; step < 200; step++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (rising(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  // ---------------------------------------------------------------- calibrations

  const same = (epsilon) => epsilon;
  const overPi = (epsilon) => epsilon / PI;

  /* The κ of wrapped Laplace at which the steepest slope of the log-density, κ tanh κπ, is ε. */
  function concentrationAtSlope(epsilon) {
    let kappa = epsilon + 1 / PI;
    for (let step = 0; step < 60; step++) {
      const slope = tanh(kappa * PI);
      const change = (kappa * slope - epsilon) / (slope + kappa * PI * (1 - slope) * (1 + slope));
      kappa -= change;
      if (abs(change) <= 2e-16 * kappa) break;
    }
    return kappa;
  }

  /* The κ of wrapped Laplace at which the whole fall of the log-density, log cosh κπ, is ε. */
  const concentrationAtFall = (epsilon) => (epsilon + log1p(sqrt(-expm1(-2 * epsilon)))) / PI;

  /* For each promise the parameter of a level: "within" has the level per radian (dirpriv's Mechanism.within),
     "pure" the level between any two inputs (Mechanism.pure). The distribution takes it, and the radius in radians. A
     mechanism without a promise is not shown for it. "both" are the promises for which both calibrations
     agree; they are shown once. */
  const MECHANISMS = [
    { id: "purkayastha", label: "Purkayastha", distribution: purkayastha, within: same, pure: overPi,
      both: ["within", "pure"] },
    { id: "von_mises_fisher", label: "von Mises–Fisher", calibration: "tight", distribution: vonMisesFisher,
      within: same, pure: (epsilon) => epsilon / 2, both: ["within"] },
    { id: "von_mises_fisher-published", label: "von Mises–Fisher", calibration: "published",
      distribution: vonMisesFisher, pure: overPi },
    { id: "wrapped_laplace", label: "wrapped Laplace", calibration: "tight", distribution: wrappedLaplace,
      within: concentrationAtSlope, pure: concentrationAtFall },
    { id: "wrapped_laplace-published", label: "wrapped Laplace", calibration: "published",
      distribution: wrappedLaplace, within: same, pure: overPi },
    { id: "staircase", label: "staircase", distribution: staircase, within: same },
    { id: "cap", label: "cap", distribution: cap, pure: overPi },
    { id: "cardioid", label: "cardioid", distribution: cardioid, pure: same },
  ];

  /* Reports that a circular mean needs for an expected error, all people at one time: E|Z|/(ρ √n) = error
     with Z normal of variance E sin² θ. This is dirpriv.estimators.expected_mean_error, as in the study's
     survey sizes (a limit of large n). */
  const people = (distribution, error) => 2 / PI * distribution.meanSquaredSine / (distribution.meanCosine * error) ** 2;

  /* What a belief of 50 % in one of two inputs can become by a report of this loss. */
  const belief = (loss) => 1 / (1 + exp(-loss));

  /* The mechanisms that keep a promise, each with its distribution and its numbers. The radius is in minutes. */
  function onClock(level, minutes, promise) {
    const radius = PI * minutes / HALF_DAY;
    return MECHANISMS.filter((mechanism) => mechanism[promise]).map((mechanism) => {
      const distribution = mechanism.distribution(mechanism[promise](promise === "within" ? level / radius : level), radius);
      return {
        ...mechanism,
        bothAgree: (mechanism.both || []).includes(promise),
        distribution,
        quantiles: SHARES.map(distribution.quantile),
        lossAtRadius: distribution.loss(radius),
        people: people(distribution, TWENTY_MINUTES),
      };
    });
  }

  // ---------------------------------------------------------------- a trusted data owner

  /* (1 - Φ(z))/φ(z) of the normal distribution, by Laplace's continued fraction; z is 1 or more. */
  function millsRatio(z) {
    let rest = z;
    for (let k = 200; k >= 1; k--) rest = z + k / rest;
    return 1 / rest;
  }

  /* Standard deviation of the least normal noise on a sum of unit vectors that has the level ε and DELTA, by
     the analytic Gaussian mechanism: dirpriv.mechanisms.GaussianSum. Sums that are 2 apart are s = 2/σ deviations
     apart. With z = ε/s - s/2 and y = ε/s + s/2, hence y² = z² + 2ε, the δ of Balle and Wang is
     φ(z) times the difference of the ratios at z and y. */
  function gaussianDeviation(epsilon) {
    const beyond = (z) => sqrt(z ** 2 + 2 * epsilon);
    const delta = (z) => exp(-(z ** 2) / 2) / sqrt(2 * PI) * (millsRatio(z) - millsRatio(beyond(z)));
    const z = bisect((at) => DELTA - delta(at), 1, 5);
    return (beyond(z) + z) / epsilon;
  }

  /* People needed for a pure level with and without trust, all of them at one time. A data owner adds noise once,
     to the sum of N unit vectors, so the mean is off by E|noise across|/N (a limit of large n). Vector Laplace
     noise, density ∝ e^(-ε‖z‖/2), has the mean length 4/ε: dirpriv.mechanisms.VectorLaplaceSum. */
  function byTrust(epsilon) {
    return [
      { id: "cap", people: people(cap(epsilon / PI), TWENTY_MINUTES) },
      { id: "gaussian_sum", people: sqrt(2 / PI) * gaussianDeviation(epsilon) / TWENTY_MINUTES },
      { id: "vector_laplace", people: 2 / PI * 4 / epsilon / TWENTY_MINUTES },
    ];
  }

  // ---------------------------------------------------------------- the plane

  /* Density ∝ exp(-κ ‖z‖), κ = level/radius: dirpriv.distributions.PlanarLaplace. */
  function inPlane(level, metres) {
    const kappa = level / metres;
    // P[distance > x/κ] = (1 + x) e^-x, which falls
    const quantile = (share) =>
      bisect((x) => (1 - share) - (1 + x) * exp(-x), 0, 800) / kappa;
    return {
      kappa,
      quantile,
      quantiles: SHARES.map(quantile),
      meanRadius: 2 / kappa,
      loss: (distance) => kappa * distance,
      // the mean of n places is off by E‖Z‖ = √(3/κ² π/2n); how many bring that to a tenth of the radius
      people: 3 / kappa ** 2 * PI / 2 / (metres / 10) ** 2,
    };
  }

  return { HALF_DAY, SHARES, MECHANISMS, onClock, byTrust, inPlane, belief };
})();
