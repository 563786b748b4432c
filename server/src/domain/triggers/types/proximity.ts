import { BY_TIMER, type TriggerDefinition } from '../evaluator.ts';

export const proximity: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence(device, { facts: { otherName, by, meters } }) {
    // Bluetooth says that the other one is near, not how far away it is.
    const how = by === 'ble_seen' ? 'near' : `${Math.round(meters as number)} m from`;
    return `${device} is ${how} ${otherName ?? 'another device'}`;
  },
};
