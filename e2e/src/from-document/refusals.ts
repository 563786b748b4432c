/**
 * Refusals of requests that are valid by the document. Fine is what no schema could say: what there is, who may do what,
 * and how fields belong together.
 */

export interface Refused {
  readonly operationId: string;
  readonly status: number;
  readonly text: string;
}

const FINE: readonly RegExp[] = [
  // What there is, and what the caller may reach.
  /is not (a|an) \w+( \w+)? (you|that)|is not a \w+ of|Unknown \\?"|No device with|is taken|is already used|already/,
  /users still have credits|delete these first|does not exist: |unknown SKU|neither your device nor shared|names no user of this server|only (dead|queued)|on no plan|no unused credit/,
  /is the group itself, or one of its subgroups|has a device that this user does not own|the number received|has ended: start another|exceeds the limit of|is not a map file in/,
  // Secrets that cannot be guessed.
  /`(password|oldPassword|code|currentPassword)` is not correct|is wrong or has expired|is too easy to guess|does not match: enter the/,
  // What this server is not set up for.
  /MAIL_NOT_CONFIGURED|NO_PASSKEYS_HERE|MQTT_NOT_CONFIGURED|Queue forwarding is not set up|has not said that it has an RTK receiver/,
  // How fields belong together.
  /username or email is required|can't be blank(:| for) |`password` or `code` is required|must not be later than|must be after from|must be in the future|`expires` is in the past/,
  /must not begin after its end|cannot be changed: it is|cannot change: it is|must begin with users\/|is needed for|`parameters` need |`target` is not |different vertices|greater than exitConfidence/,
  /must not be in the future|is required, or everyHours|earlier than it was done|has \d+ tasks already|is no driver of the owner|belongs to another driver|a digit other than 0|must not be less than west/,
  /cannot be given together with|needs a channel in `delivery`|`columns` must be among |names a (group|tag) you have no access to/,
  /must be later than from|days after from|not be earlier than firstDay|must be a day, such as|must be never for days|must be in the future|days from now|must be an address like|has keys besides/,
  /has a field that \w+ does not have|`channelTest` instance is not valid\. Details: `address` can't be blank/,
  // Names of time zones, and networks.
  /must be the name of a time zone|is neither a network nor the word key|is not the IMEI or serial number of the device/,
];

export function isFine({ text }: Refused): boolean {
  return FINE.some((reason) => reason.test(text));
}
