"""OBS Studio: shows on the channel "obs" whether you are on air or recording.

In OBS: Tools > Scripts > + > this file; then fill in the address and the token below the list.
"""

import json
import threading
import urllib.request

try:
    import obspython as obs
except ImportError:  # Outside of OBS, only push() is of use.
    obs = None

settings = {"url": "http://tallydeck.local:3000", "token": ""}


def push(text, background):
    """Sends one value that stays; raises urllib.error.URLError when the box does not take it."""
    request = urllib.request.Request(
        settings["url"].rstrip("/") + "/api/push/obs",
        data=json.dumps({"text": text, "background": background, "ttl": 0}).encode(),
        headers={
            "Authorization": "Bearer " + settings["token"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


def push_in_background(text, background):
    # OBS waits for its scripts: a box that does not answer must not hold up the picture.
    def attempt():
        try:
            push(text, background)
        except OSError as error:
            obs.script_log(obs.LOG_WARNING, "Tallydeck: " + str(error))

    threading.Thread(target=attempt, daemon=True).start()


def on_event(event):
    if event == obs.OBS_FRONTEND_EVENT_STREAMING_STARTED:
        push_in_background("ON AIR", "#a00000")
    elif event == obs.OBS_FRONTEND_EVENT_RECORDING_STARTED:
        push_in_background("REC", "#a00000")
    elif event in (
        obs.OBS_FRONTEND_EVENT_STREAMING_STOPPED,
        obs.OBS_FRONTEND_EVENT_RECORDING_STOPPED,
        obs.OBS_FRONTEND_EVENT_EXIT,
    ):
        push_in_background("off air", "#000000")


def script_description():
    return "Shows on a Tallydeck whether you are on air or recording."


def script_properties():
    properties = obs.obs_properties_create()
    obs.obs_properties_add_text(properties, "url", "Address", obs.OBS_TEXT_DEFAULT)
    obs.obs_properties_add_text(properties, "token", "Push token", obs.OBS_TEXT_PASSWORD)
    return properties


def script_update(data):
    settings["url"] = obs.obs_data_get_string(data, "url") or settings["url"]
    settings["token"] = obs.obs_data_get_string(data, "token")


def script_load(_data):
    obs.obs_frontend_add_event_callback(on_event)


def script_unload():
    obs.obs_frontend_remove_event_callback(on_event)
