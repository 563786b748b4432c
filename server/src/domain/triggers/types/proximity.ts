import { BY_TIMER, type TriggerDefinition } from '../evaluator.ts';

export const proximity: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence(device, { facts: { otherName, by, meters, isRounded } }) {
    // Bluetooth says that the other one is near, not how far away it is.
    const distance = `${Math.round(meters as number)} m`;
    const how = by === 'ble_seen' ? 'near' : isRounded ? `within ${distance} of` : `${distance} from`;
    return `${device} is ${how} ${otherName ?? 'another device'}`;
  },
};
