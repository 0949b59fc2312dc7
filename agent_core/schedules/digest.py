"""What a digest's run finds, as the model hands it over: by a tool, and not in prose."""

from collections.abc import Collection

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent_core.models import ToolSpec
from agent_core.prompts import prompt

PUBLISH_DIGEST = "publish_digest"
MAX_LINES = 5


class DigestLine(BaseModel):
    """One fact."""

    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)

    text: str = Field(
        min_length=1,
        max_length=600,
        description="One fact in plain words, with the date of its source.",
    )
    source: str = Field(
        default="",
        max_length=2_000,
        description="The address of the page that says so; empty for posts.",
    )
    is_new: bool = Field(default=True, description="Whether no earlier digest has told it.")


class PublishedDigest(BaseModel):
    """A headline, a few lines, and what else is worth knowing, as Markdown."""

    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)

    headline: str = Field(min_length=1, max_length=200, description="At most ten words.")
    lines: tuple[DigestLine, ...] = Field(default=(), max_length=MAX_LINES)
    details: str = Field(
        default="",
        max_length=8_000,
        description="What else is worth knowing, as Markdown, in at most 200 words.",
    )


def faults_of(arguments: object, known_sources: Collection[str]) -> str:
    """What is wrong with a call of the tool, for the model to mend; empty where nothing is."""
    try:
        digest = PublishedDigest.model_validate(arguments)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        return "Not published. " + "; ".join(faults[:5])
    known = {_page(source) for source in known_sources}
    unknown = [
        line.source for line in digest.lines if line.source and _page(line.source) not in known
    ]
    if unknown:
        return (
            "Not published. These sources were neither found nor read in this session: "
            f"{', '.join(unknown)}. Name the page that you read, or leave the source empty."
        )
    return ""


def _page(url: str) -> str:
    return url.strip().partition("#")[0].rstrip("/")


PUBLISH_DIGEST_SPEC = ToolSpec(
    name=PUBLISH_DIGEST,
    description=prompt("publish_digest"),
    input_schema=PublishedDigest.model_json_schema(mode="serialization"),
)
