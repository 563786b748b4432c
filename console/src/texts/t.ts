import { audit } from './en/accounts/audit.ts';
import { byMail } from './en/accounts/by-mail.ts';
import { security } from './en/accounts/security.ts';
import { serviceAccounts } from './en/accounts/service-accounts.ts';
import { signing } from './en/accounts/signing.ts';
import { tokens } from './en/accounts/tokens.ts';
import { users } from './en/accounts/users.ts';
import { alarms } from './en/alarms.ts';
import { channels } from './en/channels.ts';
import { deviceAccess } from './en/device/access.ts';
import { deviceCommands } from './en/device/commands.ts';
import { deviceConfig } from './en/device/config.ts';
import { deviceDay } from './en/device/day.ts';
import { device } from './en/device/device.ts';
import { deviceFirmware } from './en/device/firmware.ts';
import { deviceMessages } from './en/device/messages.ts';
import { deviceModes } from './en/device/modes.ts';
import { deviceReadings } from './en/device/readings.ts';
import { deviceTags } from './en/device/tags.ts';
import { deviceTimeline } from './en/device/timeline.ts';
import { deviceWays } from './en/device/ways.ts';
import { deviceList } from './en/device-list.ts';
import { devices } from './en/devices.ts';
import { geofenceLists } from './en/geofence-lists.ts';
import { geofences } from './en/geofences.ts';
import { ground } from './en/ground.ts';
import { groups } from './en/groups.ts';
import { health } from './en/health.ts';
import { historyImport } from './en/history-import.ts';
import { links } from './en/links.ts';
import { makers } from './en/makers.ts';
import { map } from './en/map.ts';
import { notifications } from './en/notifications.ts';
import { outbox } from './en/outbox.ts';
import { phoneAddress } from './en/phone-address.ts';
import { plans } from './en/plans.ts';
import { publicLink } from './en/public-link.ts';
import { quarantine } from './en/quarantine.ts';
import { queueProof } from './en/queue-proof.ts';
import { rules } from './en/rules.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { trackers } from './en/trackers.ts';
import { triggers } from './en/triggers.ts';
import { ui } from './en/ui.ts';
import { welcome } from './en/welcome.ts';

/** Every text of the console by its area: `t.map.search`. What depends on something is a function. */
export const t = {
  byMail,
  alarms,
  audit,
  channels,
  device,
  deviceAccess,
  deviceCommands,
  deviceConfig,
  deviceDay,
  deviceFirmware,
  deviceList,
  deviceMessages,
  deviceModes,
  deviceReadings,
  deviceTags,
  deviceTimeline,
  deviceWays,
  devices,
  ground,
  health,
  links,
  historyImport,
  makers,
  map,
  geofenceLists,
  geofences,
  groups,
  notifications,
  rules,
  outbox,
  phoneAddress,
  plans,
  publicLink,
  security,
  serviceAccounts,
  quarantine,
  queueProof,
  settings,
  tokens,
  users,
  trackers,
  triggers,
  shell,
  signing,
  ui,
  welcome,
};

/** What a translation has to bring. */
export type Texts = typeof t;
