"""The scenes of phone and display that are tested, and how to reach them."""

from tests.e2e.display_scenes import DISPLAY_GALLERY, DISPLAY_SCENES
from tests.e2e.phone_scenes import PHONE_GALLERY, PHONE_SCENES
from tests.e2e.scene_setup import (
    CODE,
    CONFLICT,
    MIDDLE,
    THE_END,
    Scene,
    at_step,
    ended,
    scene_params,
    show_scene,
)

__all__ = [
    "CODE",
    "CONFLICT",
    "DISPLAY_GALLERY",
    "DISPLAY_SCENES",
    "MIDDLE",
    "PHONE_GALLERY",
    "PHONE_SCENES",
    "THE_END",
    "Scene",
    "at_step",
    "ended",
    "scene_params",
    "show_scene",
]
