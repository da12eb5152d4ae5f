"""Logos are decoded and written anew; what isn't just a picture is refused."""

import sys
from io import BytesIO

import pytest
from PIL import Image

from crowdgame.events.branding import reencode as program
from crowdgame.events.branding.logos import REFUSALS, UNREADABLE, LogoRefused, reencode
from tests.crowdgame.events.branding.pictures import PLUM, animation, bomb, picture

SCRIPT = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
LARGEST = (1536, 512)


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content), formats=("WEBP",))


@pytest.mark.parametrize(
    ("name", "kind"), [("a.PNG", "PNG"), ("a.jpg", "JPEG"), ("a.jpeg", "JPEG"), ("a.webp", "WEBP")]
)
def test_reencode_accepts_each_format(name: str, kind: str) -> None:
    logo = opened(reencode(name, picture(kind)))
    assert logo.size == (80, 40)
    assert logo.convert("RGB").getpixel((40, 20)) == pytest.approx(PLUM, abs=4)


def test_reencode_removes_metadata() -> None:
    exif = Image.Exif()
    exif[0x010E] = "secret"
    exif.get_ifd(0x8825)[1] = "N"
    content = picture("JPEG", exif=exif, comment=b"secret")
    assert b"secret" in content
    logo = reencode("a.jpg", content)
    assert b"secret" not in logo
    assert b"EXIF" not in logo
    assert not opened(logo).getexif()


@pytest.mark.parametrize(("size", "mode"), [((4096, 40), "RGB"), ((40, 4096), "RGBA")])
def test_reencode_limits_the_size_and_keeps_the_proportions(size: tuple[int, int], mode: str) -> None:
    width, height = opened(reencode("a.png", picture(size=size, mode=mode))).size
    assert (width, height) <= LARGEST
    assert height <= LARGEST[1]
    assert (width > height) == (size[0] > size[1])


@pytest.mark.parametrize(("ink", "plate"), [("white", (11, 16, 32)), ("black", (255, 255, 255))])
def test_reencode_puts_transparent_logos_on_a_contrasting_plate(ink: str, plate: tuple[int, ...]) -> None:
    drawn = Image.new("RGBA", (80, 40))
    drawn.paste(Image.new("RGBA", (40, 20), ink), (20, 10))
    file = BytesIO()
    drawn.save(file, "PNG")
    logo = opened(reencode("a.png", file.getvalue())).convert("RGB")
    assert logo.getpixel((2, 2)) == pytest.approx(plate, abs=4)


TOO_MANY, ANIMATED, OTHER = (REFUSALS[code] for code in program.REFUSALS)
REFUSED = [
    ("a.png", SCRIPT, UNREADABLE),
    ("a.png", picture("JPEG"), UNREADABLE),
    ("a.png", picture()[:-5], OTHER),
    ("a.png", picture() + SCRIPT, OTHER),
    ("a.webp", animation("WEBP"), ANIMATED),
    ("a.png", bomb(8000, 5000), TOO_MANY),
    ("a.png", bomb(2000, 2000), UNREADABLE),
    ("a.png", picture() + bytes(1_000_000), "The file is too large. Choose one of at most 1 MB."),
]
ALSO_REFUSED = [
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


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [*REFUSED, *(pytest.param(*case, marks=pytest.mark.nightly) for case in ALSO_REFUSED)],
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
