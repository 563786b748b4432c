import { fr as wording } from '@trackway/contract/wording/fr.ts';
import { fr as reportWords } from '@trackway/contract/wording/reports/fr.ts';
import { fr as serverWords } from '../server-words/fr.ts';
import { translatorOf } from '../server-words/translator.ts';
import type { Texts } from '../translation.ts';
import { audit } from './accounts/audit.ts';
import { auditActions } from './accounts/audit-actions.ts';
import { byMail } from './accounts/by-mail.ts';
import { personalData } from './accounts/personal-data.ts';
import { security } from './accounts/security.ts';
import { serviceAccounts } from './accounts/service-accounts.ts';
import { signing } from './accounts/signing.ts';
import { tokens } from './accounts/tokens.ts';
import { users } from './accounts/users.ts';
import { alarms } from './alarms.ts';
import { channels } from './channels.ts';
import { deviceAccess } from './device/access.ts';
import { deviceCommands } from './device/commands.ts';
import { deviceConfig } from './device/config.ts';
import { deviceDay } from './device/day.ts';
import { device } from './device/device.ts';
import { deviceFirmware } from './device/firmware.ts';
import { deviceMessages } from './device/messages.ts';
import { deviceModes } from './device/modes.ts';
import { deviceReadings } from './device/readings.ts';
import { deviceTags } from './device/tags.ts';
import { deviceTimeline } from './device/timeline.ts';
import { deviceWays } from './device/ways.ts';
import { deviceList } from './device-list.ts';
import { devices } from './devices.ts';
import { geofenceLists } from './geofence-lists.ts';
import { geofences } from './geofences.ts';
import { ground } from './ground.ts';
import { groups } from './groups.ts';
import { health } from './health.ts';
import { historyImport } from './history-import.ts';
import { makers } from './makers.ts';
import { map } from './map.ts';
import { notifications } from './notifications.ts';
import { outbox } from './outbox.ts';
import { phoneAddress } from './phone-address.ts';
import { plans } from './plans.ts';
import { quarantine } from './quarantine.ts';
import { queueProof } from './queue-proof.ts';
import { rules } from './rules.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { dashboard } from './tools/dashboard.ts';
import { drivers } from './tools/drivers.ts';
import { links } from './tools/links.ts';
import { maintenance } from './tools/maintenance.ts';
import { palette } from './tools/palette.ts';
import { publicLink } from './tools/public-link.ts';
import { reports } from './tools/reports.ts';
import { savedReports } from './tools/saved-reports.ts';
import { trackers } from './trackers.ts';
import { triggers } from './triggers.ts';
import { ui } from './ui.ts';
import { welcome } from './welcome.ts';

export const texts: Texts = {
  byMail,
  personalData,
  alarms,
  audit,
  auditActions,
  channels,
  device,
  deviceAccess,
  deviceCommands,
  deviceConfig,
  deviceDay,
  deviceFirmware,
  deviceMessages,
  deviceModes,
  deviceReadings,
  deviceTags,
  deviceTimeline,
  deviceWays,
  devices,
  dashboard,
  reports,
  savedReports,
  palette,
  rules,
  historyImport,
  groups,
  deviceList,
  ground,
  health,
  drivers,
  links,
  maintenance,
  makers,
  map,
  geofenceLists,
  geofences,
  notifications,
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
  server: { said: translatorOf(serverWords) },
  reportWords,
  wording,
};
