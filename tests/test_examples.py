"""The examples run, and they find the figures that others have published."""

import numpy as np
import pytest

from examples import (
    digits,
    hamiltonian_monte_carlo,
    inverse_heat,
    lotka_volterra,
    minimal_surface,
    nile,
    optimisers,
)


def test_nile_finds_the_variances_of_durbin_and_koopman(tmp_path, capsys):
    estimate = nile.main(tmp_path)
    assert estimate.noise == pytest.approx(nile.PUBLISHED_NOISE, rel=0.01)
    assert estimate.drift == pytest.approx(nile.PUBLISHED_DRIFT, rel=0.01)
    assert (tmp_path / "nile.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert "log-likelihood" in printed
    assert "def filter_step" in printed


def test_digits_are_read_with_fewer_than_five_errors_in_a_hundred(capsys):
    assert digits.main(["--short"]) > 0.95
    assert "epoch 10" in capsys.readouterr().out


def test_hares_and_lynxes_agree_with_the_case_study(tmp_path):
    parameters = lotka_volterra.main(tmp_path)
    # The mode of a skewed posterior is not its mean. The rates differ by less than a quarter of
    # the posterior's deviations (its 80 % intervals are published too), the error scales by more.
    for name in ("alpha", "beta", "gamma", "delta"):
        assert parameters[name] == pytest.approx(lotka_volterra.PUBLISHED[name], rel=0.05)
    for name in ("sigma_hare", "sigma_lynx"):
        assert parameters[name] == pytest.approx(lotka_volterra.PUBLISHED[name], rel=0.2)
    assert (tmp_path / "lotka_volterra.png").stat().st_size > 10_000


def test_optimisers_find_the_published_parameters(capsys):
    optimisers.main()
    assert "Challenger" in capsys.readouterr().out
    intercept, slope = optimisers.fit_risk().x
    assert intercept == pytest.approx(optimisers.PUBLISHED_RISK[0], abs=5e-4)
    assert slope == pytest.approx(optimisers.PUBLISHED_RISK[1], abs=5e-5)
    assert optimisers.fit_adsorption().x == pytest.approx(optimisers.CERTIFIED, rel=1e-9)


def test_the_points_of_rest_are_those_of_lagrange():
    first, second, third, fourth, fifth = optimisers.points_of_rest()
    # To six digits, as tables have them; the last two make triangles of equal sides.
    assert first == pytest.approx((0.836915, 0.0), abs=1e-6)
    assert second == pytest.approx((1.155682, 0.0), abs=1e-6)
    assert third == pytest.approx((-1.005063, 0.0), abs=1e-6)
    assert fourth == pytest.approx((0.5 - optimisers.MOON, 3.0**0.5 / 2.0), abs=1e-9)
    assert fifth == pytest.approx((0.5 - optimisers.MOON, -(3.0**0.5) / 2.0), abs=1e-9)


def test_samples_have_the_mean_and_covariance_of_the_posterior(capsys):
    samples, accepted = hamiltonian_monte_carlo.main()
    mean, covariance = hamiltonian_monte_carlo.exact_posterior()
    deviations = np.sqrt(np.diag(covariance))
    assert accepted > 0.7
    assert np.all(np.abs(samples.mean(axis=0) - mean) < 0.1 * deviations)
    np.testing.assert_allclose(np.cov(samples.T), covariance, rtol=0.15)
    assert "slope" in capsys.readouterr().out


@pytest.mark.one_version
def test_the_film_is_the_surface_of_scherk(capsys):
    film, lengths = minimal_surface.main()
    assert np.max(np.abs(film - minimal_surface.scherk()[1:-1, 1:-1])) < 1e-4
    assert lengths[-1] < 1e-10
    assert lengths[-2] < 1e-6  # the last steps double the digits
    assert "area" in capsys.readouterr().out


def test_a_rod_is_found_by_what_thermometers_read(capsys):
    found = inverse_heat.main()
    assert found.error < 0.2
    # The temperatures of all steps would be 0.8 MB, and more is needed of each step than these.
    assert found.peak < 60_000
    assert "20 of them kept" in capsys.readouterr().out
