"""The core's settings: which key wins, where models are called, what the defaults are."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.settings import ZAI_BASE_URL, CoreSettings

NAMES = [name.upper() for name in CoreSettings.model_fields]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No setting of the machine is seen; the returned directory is where `.env` is looked for."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(monkeypatch: pytest.MonkeyPatch, **values: str) -> CoreSettings:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return CoreSettings()


def access(made: CoreSettings) -> tuple[str, str, str | None]:
    """Key, bearer and address, as the model is made with them."""
    return made.anthropic_api_key.get_secret_value(), made.bearer, made.model_base_url


def test_without_any_key_there_is_nothing_to_send() -> None:
    assert access(CoreSettings()) == ("", "", None)


@pytest.mark.proves("router.own_model")
def test_the_models_of_the_description_are_the_defaults() -> None:
    made = CoreSettings()
    assert (made.agent_model, made.classifier_model) == ("claude-sonnet-5-5", "claude-haiku-5-5")
    assert made.anthropic_version == ""


@pytest.mark.proves("settings.zai_api_key")
@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ANTHROPIC_API_KEY": "key"}, ("key", "", None)),
        ({"ANTHROPIC_AUTH_TOKEN": "bearer"}, ("", "bearer", None)),
        ({"ZAI_API_KEY": "zai"}, ("", "zai", ZAI_BASE_URL)),
        ({"ANTHROPIC_API_KEY": "key", "ANTHROPIC_AUTH_TOKEN": "bearer"}, ("key", "", None)),
        ({"ANTHROPIC_API_KEY": "key", "ZAI_API_KEY": "zai"}, ("key", "", None)),
        ({"ANTHROPIC_AUTH_TOKEN": "bearer", "ZAI_API_KEY": "zai"}, ("", "bearer", None)),
        (
            {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_AUTH_TOKEN": "bearer", "ZAI_API_KEY": "zai"},
            ("key", "", None),
        ),
    ],
)
def test_a_key_comes_before_a_bearer_and_both_before_z_ai(
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    expected: tuple[str, str, str | None],
) -> None:
    assert access(settings(monkeypatch, **environment)) == expected


@pytest.mark.parametrize("key", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY"])
def test_an_address_that_is_given_is_used_with_every_key(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    made = settings(monkeypatch, **{key: "x", "ANTHROPIC_BASE_URL": "http://gateway.test/api"})
    assert made.model_base_url == "http://gateway.test/api"


def test_an_empty_variable_is_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    made = settings(
        monkeypatch, ANTHROPIC_API_KEY="", ZAI_API_KEY="zai", AGENT_MODEL="", MAX_STEPS=""
    )
    assert access(made) == ("", "zai", ZAI_BASE_URL)
    assert made.agent_model == "claude-sonnet-5-5"
    assert made.max_steps == 40


@pytest.mark.proves("settings.env_file")
def test_a_file_gives_what_the_environment_does_not(
    monkeypatch: pytest.MonkeyPatch, clean: Path
) -> None:
    lines = ["ANTHROPIC_API_KEY=of-file", 'AGENT_MODEL="model-é"', "SOMETHING_ELSE=1"]
    (clean / ".env").write_text("\n".join(lines), encoding="utf-8")
    made = settings(monkeypatch, ANTHROPIC_API_KEY="of-environment")
    assert made.anthropic_api_key.get_secret_value() == "of-environment"
    assert made.agent_model == "model-é"


@pytest.mark.proves("workspace.root")
def test_state_lies_beside_the_workspaces_wherever_the_process_goes(clean: Path) -> None:
    made = CoreSettings()
    assert made.workspaces_root == Path("AGENT_RUN_WORKSPACES")
    root = clean.resolve() / "AGENT_RUN_WORKSPACES"
    assert made.state_url == f"sqlite:///{root}/state.sqlite"
    assert made.durable_url == f"sqlite:///{root}/turns.sqlite"


def test_a_database_holds_state_and_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    made = settings(monkeypatch, DATABASE_URL="postgresql://db.test/bot")
    assert made.state_url == made.durable_url == "postgresql://db.test/bot"


def test_secrets_are_not_in_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = [name for name in NAMES if name.endswith(("_KEY", "_TOKEN"))]
    made = settings(monkeypatch, **{name: f"hush-{name}" for name in secrets})
    assert len(secrets) >= 5
    assert "hush" not in repr(made)
    assert "hush" not in made.model_dump_json()


@pytest.mark.proves("settings.composio_api_key", "settings.logfire_token", "settings.zai_api_key")
@pytest.mark.parametrize("name", ["COMPOSIO_API_KEY", "ZAI_API_KEY", "LOGFIRE_TOKEN"])
def test_a_described_key_is_read_from_the_environment_and_may_be_left_out(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    without: SecretStr = getattr(CoreSettings(), name.lower())
    assert without.get_secret_value() == ""
    monkeypatch.setenv(name, "hush")
    read: SecretStr = getattr(CoreSettings(), name.lower())
    assert read.get_secret_value() == "hush"


@pytest.mark.proves("settings.no_user_id")
@pytest.mark.parametrize("name", ["USER_ID", "DEFAULT_USER_ID"])
def test_no_setting_names_a_user_for_everybody(name: str) -> None:
    assert name.lower() not in CoreSettings.model_fields
