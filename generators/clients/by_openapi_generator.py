"""The nine operations of the published API, by the client that openapi-generator makes for Python."""

import json
import os

import trackway_client as made
from trackway_client.models import (
    ForwardedType,
    GatewayReadingUpdate,
    Location,
    NewGeofence,
    NewMessage,
    NotificationTriggerUpdate,
)

world = json.loads(os.environ["WORLD"])
device, reading, trigger = world["deviceId"], world["readingId"], world["triggerId"]
configuration = made.Configuration(host=world["base"], api_key={"ApiKeyAuth": world["token"]})


def check(number, name, is_right, seen):
    assert is_right, f"{number} {name}: {seen}"
    print(number, name)


with made.ApiClient(configuration) as client:
    readings = made.ReadingsApi(client)
    geofences = made.GeofencesApi(client)

    heard = readings.get_gateway_reading(device, reading)
    check(1, "getGatewayReading", heard.sensor_device_id == "AA:BB:CC:DD:EE:FF", heard)

    queue = "arn:aws:sqs:eu-central-1:123456789012:positions"
    types = [ForwardedType.NEWLOC, ForwardedType.NEWREADING]
    forwarding = made.ForwardingApi(client).setup_sqs_forwarding(device, sqs_arn=queue, types=types)
    check(2, "setupSqsForwarding", forwarding.status == "ok", forwarding)

    config = made.DeviceConfigurationApi(client).get_device_config(device)
    check(3, "getDeviceConfig", config.device_id == device and config.interval == 300, config)

    changed = readings.update_gateway_reading(device, reading, gateway_reading_update=GatewayReadingUpdate(value=5.5))
    check(4, "updateGatewayReading", changed.value == 5.5 and changed.type == "temp", changed)

    wanted = NewGeofence(name="Depot", center=Location(lat=46.4983, lng=11.3548), radius=150)
    fence = geofences.create_geofence("me", new_geofence=wanted)
    check(5, "createGeofence", fence.center.lat == 46.4983 and fence.user_id == world["userId"], fence)

    plans = made.PlansApi(client).summarize_plans(str(world["userId"]))
    check(6, "summarizePlans", plans[0].plan.prices.tax.tax.eur[0][1] == 0.1, plans)

    update = NotificationTriggerUpdate(muteFor=60)
    muted = made.TriggersApi(client).update_notification_trigger(device, trigger, notification_trigger_update=update)
    check(7, "updateNotificationTrigger", muted.mute_for == 60 and muted.delivery.push is True, muted)

    fences = geofences.list_geofences("me", filter=json.dumps({"where": {"id": fence.id}}))
    check(8, "listGeofences", len(fences) == 1 and fences[0].name == "Depot", fences)

    message = made.MessagesApi(client).create_message(device, new_message=NewMessage(message="Hello"))
    check(9, "createMessage", message.message == "Hello" and message.sent is None, message)
