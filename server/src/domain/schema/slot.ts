/**
 * A slot is a share of the devices. What has to be in order, or be done once, is so within a slot, and slots do not wait
 * for each other. The number is written down in databases: it never changes.
 */
export const SLOTS = 64;

/** The slot of a device. What is about no device, which has the id 0, has a slot too. */
export const slotOf = (deviceId: number) => deviceId % SLOTS;
