"""URL patterns of the transparency log, below `/log/`."""

from django.urls import path

from crowdgame.results.transparency_log.views import checkpoint, cosignatures, cosigned, key, proof, tile

urlpatterns = [
    path("checkpoint", checkpoint, name="log_checkpoint"),
    path("key", key, name="log_key"),
    path("tile/<path:path>", tile, name="log_tile"),
    path("proof/<int:turn>", proof, name="log_proof"),
    path("cosigned/<slug:key_id>", cosigned, name="log_cosigned"),
    path("cosignatures", cosignatures, name="log_cosignatures"),
]
