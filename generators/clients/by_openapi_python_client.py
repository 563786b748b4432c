"""The nine operations of the published API, by the client that openapi-python-client makes."""

import json
import os

from trackway_python_client import AuthenticatedClient
from trackway_python_client.api.device_configuration import get_device_config
from trackway_python_client.api.forwarding import setup_sqs_forwarding
from trackway_python_client.api.geofences import create_geofence, list_geofences
from trackway_python_client.api.messages import create_message
from trackway_python_client.api.plans import summarize_plans
from trackway_python_client.api.readings import get_gateway_reading, update_gateway_reading
from trackway_python_client.api.triggers import update_notification_trigger
from trackway_python_client.models import (
    ForwardedType,
    GatewayReadingUpdate,
    Location,
    NewGeofence,
    NewMessage,
    NotificationTriggerUpdate,
)

world = json.loads(os.environ["WORLD"])
device, reading, trigger = world["deviceId"], world["readingId"], world["triggerId"]
client = AuthenticatedClient(base_url=world["base"], token=world["token"])


def check(number, name, is_right, seen):
    assert is_right, f"{number} {name}: {seen}"
    print(number, name)


heard = get_gateway_reading.sync(device, reading, client=client)
check(1, "getGatewayReading", heard.sensor_device_id == "AA:BB:CC:DD:EE:FF", heard)

queue = "arn:aws:sqs:eu-central-1:123456789012:positions"
types = [ForwardedType.NEWLOC, ForwardedType.NEWREADING]
forwarding = setup_sqs_forwarding.sync(device, client=client, sqs_arn=queue, types=types)
check(2, "setupSqsForwarding", forwarding.status == "ok", forwarding)

config = get_device_config.sync(device, client=client)
check(3, "getDeviceConfig", config.device_id == device and config.interval == 300, config)

changed = update_gateway_reading.sync(device, reading, client=client, body=GatewayReadingUpdate(value=5.5))
check(4, "updateGatewayReading", changed.value == 5.5 and changed.type_ == "temp", changed)

wanted = NewGeofence(name="Depot", center=Location(lat=46.4983, lng=11.3548), radius=150)
fence = create_geofence.sync("me", client=client, body=wanted)
check(5, "createGeofence", fence.center.lat == 46.4983 and fence.user_id == world["userId"], fence)

plans = summarize_plans.sync(str(world["userId"]), client=client)
check(6, "summarizePlans", plans[0].plan.prices.tax.tax.eur[0][1] == 0.1, plans)

muted = update_notification_trigger.sync(device, trigger, client=client, body=NotificationTriggerUpdate(mute_for=60))
check(7, "updateNotificationTrigger", muted.mute_for == 60 and muted.delivery.push is True, muted)

fences = list_geofences.sync("me", client=client, filter_=json.dumps({"where": {"id": fence.id}}))
check(8, "listGeofences", len(fences) == 1 and fences[0].name == "Depot", fences)

message = create_message.sync(device, client=client, body=NewMessage(message="Hello"))
check(9, "createMessage", message.message == "Hello" and message.sent is None, message)
