"""The operators' console in a real browser, in made-up states that are looked at closely. See `test_operator_room`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from pokerroom.web.files import console_pages
from tests.browser.conftest import ARTEFACTS
from tests.browser.console import FITS, FROZEN, PHONE, WIDE, OperatorPage, charts, made_up
from tests.browser.pictures import compare, same_fonts
from tests.browser.test_axe import violations

PLACES = [
    "#now",
    "#now/charts",
    "#tables",
    "#tables/t2",
    "#tournaments",
    "#tournaments/six.4",
    "#cashier",
    "#players",
    "#players/Ada",
    "#clubs",
    "#clubs/k7d0f3g8q2",
    "#reports",
    "#reports/rake",
    "#reports/players",
    "#reports/tournaments",
    "#reports/events",
    "#log",
    "#webhooks",
    "#webhooks/3",
]
SIGNED_IN = 'sessionStorage.setItem("pokerroom.operator", "pko_made_up");'


class _Files(BaseHTTPRequestHandler):
    """Serves the files of the console."""

    pages: ClassVar = console_pages()

    def do_GET(self) -> None:
        page = self.pages.get(urlsplit(self.path).path)
        self.send_response(404 if page is None else 200)
        if page is not None:
            self.send_header("Content-Type", page.content_type)
            self.end_headers()
            self.wfile.write(page.body)
        else:
            self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def room() -> Iterator[SimpleNamespace]:
    """The files of the console alone: each answer is made up, so no room has to run."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield SimpleNamespace(ops_port=server.server_port)
        server.shutdown()
        thread.join()


@pytest.fixture
def screen(new_page) -> Callable[..., OperatorPage]:
    """A page of the console in made-up states; without a place, before signing in."""

    def shown(
        place: str, *, size: tuple[int, int] = WIDE, scheme: str = "dark", **context: Any
    ) -> OperatorPage:
        script = FROZEN + (SIGNED_IN if place else "")
        found = new_page(
            size, script, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True, **context
        )
        made_up(found.page)
        found.open(place)
        found.page.locator(".page :is(.records, .empty, .facts, .charts), .sign-in").first.wait_for()
        if place == "#now":
            found.page.locator(".figures dd").filter(
                has_text=re.compile("^14")
            ).wait_for()  # the rate is known
        return found

    return shown


def all_pages(screen: Callable[..., OperatorPage], **context: Any) -> Iterator[Any]:
    """Show the console before signing in, and then each page of it."""
    yield screen("", **context).page
    page = screen(PLACES[0], **context).page
    for place in PLACES:
        page.evaluate("place => { location.hash = place; }", place)
        tab = page.locator(f'.bar nav a[aria-current][href="{place.partition("/")[0]}"]')
        tab.wait_for()
        assert tab.bounding_box()["x"] + 20 < page.viewport_size["width"], "the tab of the page is in view"
        page.locator(".page :is(.records, .empty, .facts, .charts)").first.wait_for()
        yield page


def test_an_offer_has_the_orders_that_fit_it(screen):
    """One of the settings may be retired, one that an order has retired may be given back; both may be changed."""
    desk = screen("#tournaments")
    for offer, standing, fitting in (
        ("six", "As the settings say", ["Change terms", "Retire"]),
        ("daily", "Retired", ["Change terms", "Use the terms of the settings"]),
    ):
        row = desk.page.locator("section tr", has_text=offer)
        expect(row).to_contain_text(standing)
        assert row.locator("button").all_inner_texts() == fitting


def test_a_tournament_with_a_start_tells_it(screen):
    """A sit-and-go has none; entries without a bound are told without it."""
    rows = screen("#tournaments").page.locator(".records").first.locator("tbody tr")
    expect(rows.nth(0).locator("td").nth(1)).to_have_text("\u2013")
    expect(rows.nth(2)).to_contain_text("2 Jan 2026, 21:00:00 UTC")
    expect(rows.nth(2).locator("td").nth(2)).to_have_text("1,204")


def test_all_nodes_of_the_list_are_counted(screen):
    """Also one that has gone: one of five is ready, and only two answer."""
    desk = screen("#now")
    expect(desk.page.locator(".figures dd").first).to_have_text("1 / 5")
    assert desk.page.locator("section tbody tr", has_text="cards-").count() == 5


def test_amounts_below_zero_have_a_minus(screen):
    """The same as in the lists of transfers, which is as wide as a plus."""
    desk = screen("#reports/players")
    expect(desk.page.locator("tbody tr", has_text="Ada")).to_contain_text("\u221210")
    expect(desk.page.locator("tbody tr", has_text="Ada").locator("td").nth(3)).to_have_text("\u22121")
    desk.open("#cashier")
    expect(desk.page.locator("tbody tr", has_text="paid twice at the desk")).to_contain_text("\u22125")
    assert "-" not in desk.page.locator("tbody tr", has_text="paid twice").locator("td").all_inner_texts()[1]


def test_the_zone_of_a_time_is_on_the_line_of_its_seconds(screen):
    """On a phone the time breaks before them."""
    desk = screen("#cashier", size=PHONE)
    for each in desk.page.locator("td time").all():
        assert each.inner_text().endswith("\u00a0UTC")


def test_a_file_has_all_parts_of_a_report(screen):
    """The room tells a thousand lines at a time; the names of the columns are there once."""
    desk = screen("#reports/rake")
    asked: list[str] = []

    def part(route: Any) -> None:
        asked.append(route.request.url)
        lines = 1_000 if len(asked) < 3 else 2
        body = "day,table,hands,rake\n" + f"2026-01-02,t{len(asked)},1,0.05\n" * lines
        route.fulfill(status=200, content_type="text/csv", body=body)

    desk.page.route("**/v1/reports/rake?*csv=1*", part)
    with desk.page.expect_download() as saved:
        desk.page.get_by_role("button", name="Save as CSV").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2_003
    assert lines.count("day,table,hands,rake") == 1
    assert ["skip" in url for url in asked] == [False, True, True]


def test_clubs_are_searched_and_lead_to_their_page(screen):
    """By a part of the name and by a member; a closed club is told as such."""
    desk = screen("#clubs")
    expect(desk.page.locator("tbody tr", has_text="Old friends")).to_contain_text("Closed")
    desk.page.fill("input[name=name]", " friday ")
    desk.page.fill("input[name=player]", "Ada")
    with desk.page.expect_request("**/v1/clubs?name=friday&player=Ada&limit=51"):
        desk.page.click(".filters .primary")
    desk.page.get_by_role("link", name="Friday night").click()
    expect(desk.page.locator(".facts")).to_contain_text("12,345")
    rows = desk.page.locator("section tbody tr", has_text="Carl")
    expect(rows.first).to_contain_text("Is leaving")
    expect(rows.last).to_contain_text("\u221225")


def test_a_club_leads_to_its_tables_and_to_its_sit_and_gos(screen):
    """A sit-and-go has its page among the tournaments, and a table among the tables."""
    desk = screen("#clubs/k7d0f3g8q2")
    links = desk.page.locator(".facts a")
    assert [links.nth(number).get_attribute("href") for number in range(links.count())] == [
        "#tables/host%3A9q2f8e1kd0",
        "#tournaments/private%3A4q2f8e1kd0.1",
    ]
    assert links.all_inner_texts() == ["Table 9q2f8e1kd0", "Sit-and-go 4q2f8e1kd0"]


def test_an_order_to_a_club_asks_for_a_member_and_why(screen):
    """An open table keeps it from being closed; its owner is not offered as the new one."""
    desk = screen("#clubs/k7d0f3g8q2")
    desk.page.route(
        re.compile(r"/(set_owner|rename)\?"),
        lambda route: route.fulfill(status=409, json={"code": "club_in_use", "message": "No."}),
    )
    assert desk.offered() == ["Rename", "End invitation", "Change owner"]
    desk.page.locator(".orders").get_by_role("button", name="Change owner").click()
    assert desk.page.locator("dialog option").all_inner_texts() == ["Ada", "Bert", "Carl"]
    desk.page.locator("dialog select").select_option("Bert")
    desk.page.locator("dialog input[name=reason]").fill("the owner is gone")
    with desk.page.expect_request("**/v1/clubs/k7d0f3g8q2/set_owner?member=Bert&reason=the+owner+is+gone"):
        desk.page.locator("dialog button.primary").click()
    desk.page.keyboard.press("Escape")
    desk.page.locator(".orders").get_by_role("button", name="Rename").click()
    desk.page.locator("dialog input[name=new_name]").fill("Friday")
    desk.page.locator("dialog input[name=reason]").fill("rude")
    with desk.page.expect_request("**/v1/clubs/k7d0f3g8q2/rename?new_name=Friday&reason=rude"):
        desk.page.locator("dialog button.primary").click()


def test_a_time_that_is_pointed_at_is_told_by_every_chart(screen):
    """By keys and by the mouse; without either, the latest numbers are told."""
    desk = screen("#now/charts")
    plots, times = desk.page.get_by_role("slider"), desk.page.locator(".chart .at")
    expect(plots).to_have_count(8)
    latest = "2 Jan, 20:20 UTC"
    plots.nth(3).focus()
    desk.page.keyboard.press("ArrowLeft")
    expect(plots.nth(3)).to_have_attribute(
        "aria-valuetext", re.compile("^2 Jan, 20:10 UTC: cards-1 8[0-9]%, cards-2")
    )
    assert set(times.all_inner_texts()) == {"2 Jan, 20:10 UTC"}
    desk.page.keyboard.press("Home")
    expect(plots.nth(3)).to_have_attribute("aria-valuenow", "0")
    desk.page.keyboard.press("ArrowLeft")
    expect(times.first).to_have_text("1 Jan, 20:30 UTC")
    assert desk.page.locator(".chart .pointer").count() == 8
    desk.page.locator("#period").focus()
    expect(times.first).to_have_text(latest)
    box = plots.first.bounding_box()
    desk.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    expect(times.nth(7)).to_have_text("2 Jan, 08:30 UTC")
    desk.page.mouse.move(5, 5)
    expect(times.nth(7)).to_have_text(latest)
    expect(desk.page.locator(".chart .pointer")).to_have_count(0)


def test_the_numbers_of_a_chart_are_a_table_too(screen):
    """The latest first; what was not counted has a dash, and the line has a gap there."""
    page = screen("#now/charts").page
    chart = page.locator(".chart", has=page.get_by_role("heading", name="Processor"))
    expect(chart.locator("table")).to_have_count(0)
    chart.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(chart.locator("thead th")).to_have_text(["Time", "cards-1", "cards-2", "cards-5"])
    expect(chart.locator("tbody tr")).to_have_count(144)
    expect(chart.locator("tbody th").first).to_have_text("2 Jan, 20:20 UTC")
    still = chart.locator("tbody tr", has_text="2 Jan, 10:30 UTC").locator("td").all_inner_texts()
    assert (still[0], still[2]) == ("\u2013", "\u2013")
    assert still[1].endswith("%")
    assert violations(page) == []
    broken = chart.locator("svg .line.kind-0").last.get_attribute("d")
    assert broken.count("M") == 2
    page.keyboard.press("Enter")
    expect(chart.locator("table")).to_have_count(0)


def test_charts_are_of_a_period_and_of_a_node(screen):
    """What is chosen is asked for; one node has no lines of others."""
    desk = screen("#now")
    desk.page.get_by_role("link", name="Charts of the last day").click()
    expect(desk.page.locator("h1")).to_have_text("Charts")
    with desk.page.expect_request("**/v1/charts?minutes=60&step=1"):
        desk.page.select_option("#period", "hour")
    expect(desk.page.locator(".chart .at").first).to_have_text("2 Jan, 20:29 UTC")
    expect(desk.page.locator(".hours").first).to_have_text("19:3019:4520:0020:15")
    expect(desk.page.locator(".legend").nth(3).locator("li")).to_have_count(3)
    together = int(desk.page.locator(".legend strong").first.inner_text())
    desk.page.select_option("#node", "cards-2")
    expect(desk.page.locator(".legend").nth(3).locator("li")).to_have_text([re.compile(r"^cards-2\d+%$")])
    assert 0 < int(desk.page.locator(".legend strong").first.inner_text()) < together
    desk.page.locator(".page-head .back").click()
    expect(desk.page.locator("h1")).to_have_text("Now")


def test_charts_say_what_they_lack(screen):
    """A node that has gone or does not answer, one that began later, and a room that has just started."""
    page = screen("#now/charts").page
    hints = page.locator(".hints")
    expect(hints).to_contain_text("Not in these charts: cards-3 (Gone), cards-4 (Does not answer).")
    expect(hints).to_contain_text("Numbers begin later at cards-5 (2 Jan, 15:10 UTC).")
    fresh = charts(60, 1)[:1]
    for name, values in fresh[0].items():
        if isinstance(values, list):
            fresh[0][name] = [0 if name == "minutes" else None for _ in values]
    page.route("**/v1/charts?*", lambda route: route.fulfill(status=200, json=fresh))
    page.select_option("#period", "hour")
    expect(page.locator(".empty")).to_contain_text("There are no numbers yet.")
    expect(page.locator(".charts")).to_have_count(0)


def test_a_refused_order_says_what_to_do_and_may_be_given_again(screen):
    """The window stays, with the reason that was typed."""
    desk = screen("#tables/t2")
    refused = {"code": "hand_complete", "message": "No."}
    desk.page.route("**/v1/tables/t2/void?*", lambda route: route.fulfill(status=409, json=refused))
    desk.order("Void the hand", "misdeal")
    expect(desk.page.locator("dialog .problem")).to_contain_text("finished when the table is resumed")
    expect(desk.page.locator("dialog input[name=reason]")).to_have_value("misdeal")
    desk.page.keyboard.press("Escape")
    expect(desk.page.locator("dialog")).to_have_count(0)


def test_a_room_that_does_not_answer_is_told_and_asked_again(screen):
    """What was there is still shown, with its time."""
    desk = screen("#tables")
    desk.page.route("**/v1/tables", lambda route: route.abort())
    expect(desk.page.get_by_role("alert")).to_contain_text("The room does not answer.")
    expect(desk.page.get_by_role("alert")).to_contain_text("What is shown is from")
    expect(desk.page.locator("tbody tr")).to_have_count(8)
    desk.page.unroute("**/v1/tables")
    desk.page.get_by_role("button", name="Try again").click()
    expect(desk.page.get_by_role("alert")).to_have_count(0)


def test_a_hidden_page_asks_nothing(screen):
    """It asks at once when it is seen again."""
    desk = screen("#tables")
    asked: list[str] = []
    desk.page.on("request", lambda request: asked.append(request.url))
    desk.page.evaluate(HIDE, "hidden")
    desk.page.wait_for_timeout(300)
    asked.clear()
    desk.page.wait_for_timeout(2_500)
    assert asked == []
    with desk.page.expect_request("**/v1/tables"):
        desk.page.evaluate(HIDE, "visible")


def test_the_console_is_operated_by_keys(screen):
    """From the bar to an order and back; the focus returns to the button."""
    desk = screen("#tables/t2")
    resume = desk.page.locator(".orders button").first
    resume.focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("dialog input[name=reason]")).to_be_focused()
    desk.page.keyboard.press("Escape")
    expect(resume).to_be_focused()


@pytest.mark.parametrize("language", ["de-DE", "pl-PL"])
def test_the_console_speaks_the_operators_language(screen, language):
    """Every text of every page; a code would be seen as it is."""
    for page in all_pages(screen, locale=language):
        assert page.evaluate("document.documentElement.lang") == language[:2]
        text = page.locator("body").inner_text()
        assert not [word for word in text.split() if word.count(".") and word.split(".")[0] in CODES], text


HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
CODES = {
    "page",
    "column",
    "state",
    "waits",
    "filter",
    "order",
    "sign_in",
    "settings",
    "tables",
    "now",
    "chart",
    "charts",
    "node",
    "seat",
    "report",
    "announcements",
    "player",
    "transfer",
    "limit",
    "club",
    "clubs",
}


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_page_has_a_violation(screen, size, scheme):
    """Of what axe knows, in both themes; nor does one scroll sideways. The window of an order is looked at, too."""
    for page in all_pages(screen, size=size, scheme=scheme):
        assert violations(page) == [], page.url
        assert page.evaluate(FITS), page.url
        if page.url.endswith("/t2"):
            page.locator(".orders button").first.click()
            page.locator("dialog[open]").wait_for()
            assert violations(page) == [], "an order"
            page.keyboard.press("Escape")
        if page.url.endswith("#tournaments"):
            page.get_by_role("button", name="New offer").click()
            page.locator("dialog[open]").wait_for()
            assert violations(page) == [], "an offer"
            assert page.evaluate(FITS), "an offer"
            page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("size", "locale"),
    [((360, 640), "de-DE"), ((844, 390), "de-DE"), ((844, 390), "pl-PL"), ((1920, 1080), "en-GB")],
)
def test_every_page_fits(screen, size, locale):
    """From a small phone to a large screen, in the languages with the longest words."""
    for page in all_pages(screen, size=size, locale=locale):
        assert page.evaluate(FITS), page.url


PICTURES = {
    "console-sign-in": ("", PHONE, "light"),
    "console-now": ("#now", WIDE, "dark"),
    "console-charts": ("#now/charts", WIDE, "dark"),
    "console-phone-charts": ("#now/charts", PHONE, "light"),
    "console-tables": ("#tables", WIDE, "light"),
    "console-phone-now": ("#now", PHONE, "light"),
    "console-phone-table": ("#tables/t2", PHONE, "dark"),
    "console-phone-tournaments": ("#tournaments", PHONE, "light"),
    "console-tournament": ("#tournaments/six.4", WIDE, "dark"),
    "console-cashier": ("#cashier", WIDE, "dark"),
    "console-phone-cashier": ("#cashier", PHONE, "light"),
    "console-player": ("#players/Ada", WIDE, "light"),
    "console-phone-player": ("#players/Ada", PHONE, "dark"),
    "console-clubs": ("#clubs", WIDE, "light"),
    "console-phone-clubs": ("#clubs", PHONE, "dark"),
    "console-club": ("#clubs/k7d0f3g8q2", WIDE, "dark"),
    "console-phone-club": ("#clubs/k7d0f3g8q2", PHONE, "light"),
    "console-reports": ("#reports", WIDE, "dark"),
    "console-phone-report": ("#reports/players", PHONE, "light"),
    "console-log": ("#log", WIDE, "light"),
    "console-webhooks": ("#webhooks", WIDE, "dark"),
}


@pytest.mark.parametrize(
    ("name", "place", "heading", "size", "scheme"),
    [
        ("console-transfers", "#players/Ada", "Transfers", WIDE, "dark"),
        ("console-phone-transfers", "#players/Ada", "Transfers", PHONE, "light"),
        ("console-announcements", "#now", "Announcements", WIDE, "light"),
        ("console-phone-announcements", "#now", "Announcements", PHONE, "dark"),
    ],
)
def test_what_is_further_down_looks_as_approved(screen, name, place, heading, *, size, scheme):
    """Transfers and limits of a player, and what is announced."""
    page = screen(place, size=size, scheme=scheme).page
    same_fonts(page)
    page.mouse.move(0, size[1] - 1)
    page.get_by_role("heading", name=heading).evaluate("heading => heading.scrollIntoView()")
    compare(page.screenshot(animations="disabled"), name, ARTEFACTS)


@pytest.mark.parametrize("name", PICTURES)
def test_a_page_looks_as_approved(screen, name):
    """A screenshot equals the approved picture, within a small tolerance."""
    place, size, scheme = PICTURES[name]
    page = screen(place, size=size, scheme=scheme).page
    same_fonts(page)
    page.mouse.move(0, size[1] - 1)
    compare(page.screenshot(animations="disabled"), name, ARTEFACTS)
