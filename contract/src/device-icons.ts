/** Icons of devices on maps and in lists: `meta.icon` of the device. */
// biome-ignore format: A word each.
export const DEVICE_ICONS = ['car', 'van', 'truck', 'motorbike', 'bike', 'boat', 'person', 'phone', 'pet', 'tag', 'box'] as const;
export type DeviceIcon = (typeof DEVICE_ICONS)[number];

/** Words in device types that suggest an icon. The first match counts. */
const BY_TYPE: readonly (readonly [RegExp, DeviceIcon])[] = [
  [/\b(truck|lorry|lkw|camion)\b/, 'truck'],
  [/\b(van|transporter|furgoneta)\b/, 'van'],
  [/\b(motor(bike|cycle)|moped|scooter|motorrad|moto)\b/, 'motorbike'],
  [/\b(bike|bicycle|e-?bike|fahrrad|v[ée]lo|bici(cleta)?)\b/, 'bike'],
  [/\b(car|pkw|coche|voiture|vehicle)\b/, 'car'],
  [/\b(boat|ship|yacht|boot|bateau|barco)\b/, 'boat'],
  [/\b(phone|smartphone|owntracks|gpslogger|android|ios)\b/, 'phone'],
  [/\b(dog|cat|pet|hund|katze|chien|perro)\b/, 'pet'],
  [/\b(person|people|watch)\b/, 'person'],
  [/\b(tag|beacon|ibeacon|eddystone)\b/, 'tag'],
  [/\b(box|asset|container|trailer|pallet)\b/, 'box'],
];

/** The chosen icon, or else the one suggested by the device type; undefined if there is neither. */
export function deviceIconOf(icon: unknown, type: string | null | undefined): DeviceIcon | undefined {
  const chosen = DEVICE_ICONS.find((one) => one === icon);
  if (chosen !== undefined || !type) return chosen;
  const words = type.toLowerCase().replaceAll(/[_/]/g, ' ');
  return BY_TYPE.find(([pattern]) => pattern.test(words))?.[1];
}
