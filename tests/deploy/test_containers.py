"""The image, the room of Docker Compose, and the manifests of Kubernetes."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import pokerroom
from pokerroom.ops.config import load

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "deploy"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.stem != "kustomization")


def told(program: str, *arguments: str | Path) -> str:
    """What a program of this environment complains of."""
    ran = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments], capture_output=True, text=True, check=False
    )
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def test_the_dockerfile_follows_the_rules_of_hadolint():
    assert told("hadolint", DEPLOY / "Dockerfile") == ""


def test_what_the_image_copies_is_there_and_not_ignored():
    """Each source of COPY is in the list of `.dockerignore`, which ignores the rest."""
    kept = {line[1:] for line in (TOP / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = set()
    for line in re.findall(r"^COPY (?!--from)(.*)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        copied.update(line.split()[:-1])
    assert copied == kept
    assert all((TOP / name).exists() for name in copied)


def test_the_image_has_the_versions_that_are_tested():
    """Its list of requirements is a part of the one of `make test`."""

    def versions(name: str) -> set[str]:
        return set(re.findall(r"^\S+==[^\s;]+", (DEPLOY / name).read_text(), re.MULTILINE))

    assert versions("requirements-room.txt") <= versions("requirements.txt")
    assert len(versions("requirements-room.txt")) > 30


def test_the_compose_file_keeps_to_its_schema():
    assert told("check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE) == ""


def test_kubernetes_takes_every_manifest():
    """Unknown fields are refused; every manifest is named by the kustomization, but the one of an upgrade."""
    assert told("kubernetes-validate", "--strict", *MANIFESTS) == ""
    named = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    assert {*named, "migrate.yaml"} == {path.name for path in MANIFESTS}


@pytest.mark.parametrize("folder", ["compose", "kubernetes"])
def test_the_settings_are_those_of_a_room(folder):
    """And they trust the proxy in front: else all players would count as one address."""
    config = load(DEPLOY / folder / "room.toml")
    assert config.listen.trusted_proxies


def test_compose_trusts_the_network_in_which_its_proxy_is():
    subnet = yaml.safe_load(COMPOSE.read_text())["networks"]["players"]["ipam"]["config"][0]["subnet"]
    settings = tomllib.loads((DEPLOY / "compose" / "room.toml").read_text())
    assert settings["listen"]["trusted_proxies"] == [subnet]


def test_every_variable_is_one_that_the_room_reads():
    package = Path(pokerroom.__file__).parent
    read = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    files = [DEPLOY / "Dockerfile", COMPOSE, *MANIFESTS]
    used = {name for file in files for name in re.findall(r"POKERROOM_[A-Z_]+", file.read_text())}
    assert len(used) > 5
    assert {name for name in used if f'"{name}"' not in read} == set()


def test_secrets_are_written_once_and_for_their_owner_alone(tmp_path):
    """Every variable that the compose file needs, in a file of mode 0600; a second time nothing is changed."""
    script = tmp_path / "secrets.sh"
    script.write_bytes((DEPLOY / "compose" / "secrets.sh").read_bytes())
    for works in (True, False):
        ran = subprocess.run(["sh", script, "poker.example"], capture_output=True, text=True, check=False)
        assert (ran.returncode == 0) is works
    file = tmp_path / ".env"
    assert file.stat().st_mode & 0o777 == 0o600
    written = dict(line.split("=", 1) for line in file.read_text().splitlines())
    assert set(re.findall(r"\$\{(\w+)", COMPOSE.read_text())) == set(written)
    assert written.pop("DOMAIN") == "poker.example"
    assert len(set(written.values())) == len(written)
    assert all(re.fullmatch("[0-9a-f]{64}", secret) for secret in written.values())
