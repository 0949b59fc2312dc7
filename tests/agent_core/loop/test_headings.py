"""The headings of a report, told while a model writes it into a call."""

import json
from pathlib import Path

import pytest

from agent_core.events import HeadingWritten
from agent_core.loop.calls import Headings
from agent_core.models import CallDelta
from agent_core.testing.models import call
from agent_core.testing.tools import FakeToolset
from tests.agent_core.loop.test_run import agent, run, say_done
from tests.scopes import Surroundings

MARKDOWN = """# Chat bots

## Limits — “new”
They are *low*.

### Not a section
## 2. Costs
Is C# dear? ## no heading
## A\\B
End."""


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_sections_are_read_whatever_pieces_they_come_in(size: int) -> None:
    written = json.dumps({"title": "Bots", "markdown": MARKDOWN})
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    reader = Headings()
    read = [reader.newest(CallDelta(tool="write_report", text=piece)) for piece in pieces]
    expected = ["1 Limits — “new”", "2. Costs", "3 A\\B"]
    assert [each for each in read if each] == (expected if size < 1_000 else expected[-1:])


@pytest.mark.proves("thread.section")
async def test_a_run_says_which_section_it_writes_before_the_call_is_whole(tmp_path: Path) -> None:
    around = Surroundings(workspace=tmp_path)
    report = call("write_report", {"markdown": MARKDOWN})
    made, _ = agent([report, "Done."], FakeToolset({"write_report": say_done}))
    await run(made, around)
    kinds = [event.kind for event in around.events]
    headings = [event.heading for event in around.events if isinstance(event, HeadingWritten)]
    assert headings == ["1 Limits — “new”", "2. Costs", "3 A\\B"]
    assert kinds.index("heading_written") < kinds.index("tool_call_started")
