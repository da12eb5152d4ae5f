import asyncio
import struct
import sys
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from crowdgame.events.branding import logo_cache
from crowdgame.events.branding import reencode as program
from crowdgame.events.branding.logo_cache import cache_logos
from crowdgame.events.branding.logos import REFUSALS, UNREADABLE, LogoRefused, reencode

Color = tuple[int, int, int]
PLUM = (142, 69, 133)
TOO_MANY, ANIMATED, OTHER = (REFUSALS[code] for code in program.REFUSALS)
SCRIPT = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PATH = "/brand/0123abcd.webp"


def picture(kind: str = "PNG", mode: str = "RGB", color: Color = PLUM, **options: Any) -> bytes:
    file, size = BytesIO(), options.pop("size", (80, 40))
    Image.new(mode, size, (*color, 255)[: len(mode)]).save(file, kind, **options)
    return file.getvalue()


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]
    file = BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=100)
    return file.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header announces this size, with hardly any data."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n"
    for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return content


def webp(name: str, content: bytes) -> Image.Image:
    return Image.open(BytesIO(reencode(name, content)), formats=("WEBP",))


@pytest.mark.parametrize(
    ("name", "kind"), [("a.PNG", "PNG"), ("a.jpg", "JPEG"), ("a.jpeg", "JPEG"), ("a.webp", "WEBP")]
)
def test_reencode_accepts_each_format(name: str, kind: str) -> None:
    logo = webp(name, picture(kind))
    assert logo.size == (80, 40)
    assert logo.convert("RGB").getpixel((40, 20)) == pytest.approx(PLUM, abs=4)


def test_reencode_removes_metadata() -> None:
    exif = Image.Exif()
    exif[0x010E] = "secret"
    exif.get_ifd(0x8825)[1] = "N"
    content = picture("JPEG", exif=exif, comment=b"secret")
    assert b"secret" in content
    logo = reencode("a.jpg", content)
    assert (b"secret" in logo, b"EXIF" in logo) == (False, False)
    assert not webp("a.jpg", content).getexif()


@pytest.mark.parametrize(("size", "mode"), [((4096, 40), "RGB"), ((40, 4096), "RGBA")])
def test_reencode_limits_the_size_and_keeps_the_proportions(size: tuple[int, int], mode: str) -> None:
    width, height = webp("a.png", picture(size=size, mode=mode)).size
    assert (width <= 1536, height <= 512, width > height) == (True, True, size[0] > size[1])


@pytest.mark.parametrize(("ink", "plate"), [("white", (11, 16, 32)), ("black", (255, 255, 255))])
def test_reencode_puts_transparent_logos_on_a_contrasting_plate(ink: str, plate: tuple[int, ...]) -> None:
    drawn = Image.new("RGBA", (80, 40))
    drawn.paste(Image.new("RGBA", (40, 20), ink), (20, 10))
    file = BytesIO()
    drawn.save(file, "PNG")
    assert webp("a.png", file.getvalue()).convert("RGB").getpixel((2, 2)) == pytest.approx(plate, abs=4)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.png", SCRIPT, UNREADABLE),
        ("a.png", picture("JPEG"), UNREADABLE),
        ("a.png", picture()[:-5], OTHER),
        ("a.png", picture() + SCRIPT, OTHER),
        ("a.webp", animation("WEBP"), ANIMATED),
        ("a.png", bomb(8000, 5000), TOO_MANY),
        ("a.png", bomb(2000, 2000), UNREADABLE),
        ("a.png", picture() + bytes(1_000_000), "The file is too large. Choose one of at most 1 MB."),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in [
                ("a.svg", SCRIPT, UNREADABLE),
                ("a.gif", animation("GIF"), UNREADABLE),
                ("a", picture("PNG"), UNREADABLE),
                ("a.png", b"", UNREADABLE),
                ("a.png", picture(mode="RGBA", size=(1, 1))[:-40], UNREADABLE),
                ("a.jpg", picture("JPEG")[:-40], OTHER),
                ("a.webp", picture("WEBP")[:-2], UNREADABLE),
                ("a.jpg", picture("JPEG") + b"PK\3\4", OTHER),
                ("a.webp", picture("WEBP") + SCRIPT, OTHER),
                ("a.png", animation("PNG"), ANIMATED),
                ("a.png", bomb(4097, 10), TOO_MANY),
                ("a.png", bomb(10, 4097), TOO_MANY),
            ]
        ),
    ],
)
def test_reencode_refuses_hostile_files(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(LogoRefused) as refused:
        reencode(name, content)
    assert str(refused.value.args[0]) == str(reason)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    logo = picture("PNG")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(LogoRefused, match=r'pip install "crowdgame\[logos\]"'):
        reencode("a.png", logo)


class Site:
    def __init__(self, status: int = 200) -> None:
        self.status, self.scopes = status, list[Any]()
        self.cached = cache_logos(self.answer)

    async def answer(self, scope: Any, _receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})

    async def fetch(self, path: str, method: str = "GET") -> tuple[int, bytes]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        request = {"path": path, "method": method, "headers": [(b"cookie", b"a=b")]}
        await self.cached(request | {"query_string": b"locale=de"}, None, send)
        return sent[0]["status"], sent[1]["body"]


async def test_lobby_costs_one_request_to_django() -> None:
    site = Site()
    assert await asyncio.gather(*[site.fetch(PATH) for _ in range(100)]) == [(200, PATH.encode())] * 100
    (scope,) = site.scopes
    assert (scope["headers"], scope["query_string"]) == ([], b""), "the answer is one for everybody"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [("/brand/x.webp", "GET", 200), ("/brand/ab", "GET", 200), (PATH, "HEAD", 200), (PATH, "GET", 404)],
)
async def test_other_requests_and_missing_logos_are_not_cached(path: str, method: str, status: int) -> None:
    site = Site(status)
    assert [await site.fetch(path, method) for _ in range(2)] == [(status, path.encode())] * 2
    assert len(site.scopes) == 2


async def test_few_logos_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logo_cache, "CACHE_SIZE", 2)
    site = Site()
    for number in (1, 2, 3, 3, 2, 1):
        await site.fetch(f"/brand/{number}.webp")
    assert [scope["path"] for scope in site.scopes] == [f"/brand/{number}.webp" for number in (1, 2, 3, 1)]
