import type { Database } from '../../platform/storage/database.ts';
import type {
  AuditEntryRow,
  AuthenticatorRow,
  CreditNumberRow,
  IdempotencyKeyRow,
  OpenidAccountRow,
  PasskeyRow,
  PasswordFailureRow,
  PlanCreditRow,
  PlanRow,
  RecoveryCodeRow,
  SavedViewRow,
  SignInChallengeRow,
  SpentRefreshTokenRow,
  SubscriptionRow,
  TokenRow,
  UserRow,
} from './rows/account-rows.ts';
import type { RtkCommandRow, RtkLogRow, RtkStateRow, TransientRow } from './rows/command-rows.ts';
import type {
  DeviceConfigRow,
  DeviceEventRow,
  DeviceRow,
  KnockRow,
  MessageRow,
  QuarantineRow,
  ReceivedItemRow,
  ShareGrantRow,
  ShareRow,
  UndecodedFrameRow,
} from './rows/device-rows.ts';
import type {
  DriverRow,
  DriverSignOnRow,
  MaintenanceRecordRow,
  MaintenanceTaskRow,
  MaintenanceToldRow,
} from './rows/fleet-tool-rows.ts';
import type { GroupLinkRow, LinkRow } from './rows/link-rows.ts';
import type { InvitationRow, MailingRow, MailLinkRow, MailRecipientRow, MailRefusalRow } from './rows/mail-rows.ts';
import type { NodeRow, RateCountRow } from './rows/node-rows.ts';
import type { DataCopyRow, ErasureRow } from './rows/person-rows.ts';
import type { SavedReportRow } from './rows/report-rows.ts';
import type {
  DeviceGroupGrantRow,
  DeviceGroupRow,
  FenceVersionRow,
  GeofenceListGrantRow,
  GeofenceListRow,
  GeofenceListUserRow,
  GeofenceRow,
  NotificationRow,
  NotificationTriggerRow,
  RuleRow,
  TriggerVersionRow,
} from './rows/rule-rows.ts';
import type {
  DestinationRow,
  ForwarderRow,
  OutboxRow,
  OutgoingRow,
  PushSubscriptionRow,
  QueueHolderRow,
  QueueProofRow,
} from './rows/sending-rows.ts';
import type {
  CheckpointRow,
  DeviceStateRow,
  GatewayReadingRow,
  HistoryImportRow,
  IgnitionChangeRow,
  LiveEventRow,
  OldPointRow,
  PlaceDueRow,
  PointRow,
  PositionRow,
  ReadingSegmentRow,
  SegmentRow,
  StopRow,
  TripRow,
} from './rows/tracking-rows.ts';

/** Every table and view by its name. */
export interface Tables {
  settings: { name: string; value: string };
  migrations: { name: string; checksum: string | null; suitsOlderNodes: number | null };
  nodes: NodeRow;
  rateCounts: RateCountRow;
  users: UserRow;
  tokens: TokenRow;
  authenticators: AuthenticatorRow;
  recoveryCodes: RecoveryCodeRow;
  passkeys: PasskeyRow;
  signInChallenges: SignInChallengeRow;
  openidAccounts: OpenidAccountRow;
  spentRefreshTokens: SpentRefreshTokenRow;
  auditEntries: AuditEntryRow;
  passwordFailures: PasswordFailureRow;
  signInAddresses: { userId: number; address: string; at: number };
  mailLinks: MailLinkRow;
  invitations: InvitationRow;
  mailRecipients: MailRecipientRow;
  mailRefusals: MailRefusalRow;
  mailings: MailingRow;
  /** A view: entries without the addresses of others. */
  auditTrail: AuditEntryRow;
  devices: DeviceRow;
  /** By which a device is found, of those that are not deleted. */
  deviceKeys: { deviceId: number; keyHash: string | null; imei: string | null; serial: string | null };
  shares: ShareRow;
  shareGrants: ShareGrantRow;
  deviceGroups: DeviceGroupRow;
  deviceGroupMembers: { deviceId: number; groupId: number; created: number };
  deviceGroupGrants: DeviceGroupGrantRow;
  rules: RuleRow;
  /** Devices that are to be compared with the rules. */
  ruleDue: { deviceId: number; since: number };
  /** Notifications that wait for somebody to acknowledge them. */
  escalations: { deviceId: number; notificationId: number; dueAt: number };
  deviceConfigs: DeviceConfigRow;
  deviceEvents: DeviceEventRow;
  knocks: KnockRow;
  undecodedFrames: UndecodedFrameRow;
  geofences: GeofenceRow;
  geofenceLists: GeofenceListRow;
  geofenceListUsers: GeofenceListUserRow;
  geofenceListGrants: GeofenceListGrantRow;
  gatewayReadings: GatewayReadingRow;
  /** A view: positions as they were sent. Whoever writes them does so by `positions/write.ts`. */
  points: PointRow;
  positions: PositionRow;
  /** There only while positions of an earlier version are being carried over. */
  oldPoints: OldPointRow;
  segments: SegmentRow;
  readingSegments: ReadingSegmentRow;
  notificationTriggers: NotificationTriggerRow;
  messages: MessageRow;
  transients: TransientRow;
  rtkStates: RtkStateRow;
  rtkCommands: RtkCommandRow;
  rtkLogs: RtkLogRow;
  forwarders: ForwarderRow;
  /** A view: forwarders with what became of them. */
  forwarderStates: ForwarderRow;
  destinations: DestinationRow;
  destinationStates: DestinationRow;
  outbox: OutboxRow;
  outgoing: OutgoingRow;
  deliveries: OutboxRow;
  pushSubscriptions: PushSubscriptionRow;
  links: LinkRow;
  groupLinks: GroupLinkRow;
  savedViews: SavedViewRow;
  savedReports: SavedReportRow;
  /** Which devices a mailed report tells of. */
  reportDevices: { outboxId: number; deviceId: number };
  maintenanceTasks: MaintenanceTaskRow;
  maintenanceRecords: MaintenanceRecordRow;
  maintenanceTold: MaintenanceToldRow;
  erasures: ErasureRow;
  dataCopies: DataCopyRow;
  drivers: DriverRow;
  driverSignOns: DriverSignOnRow;
  queueHolders: QueueHolderRow;
  queueProofs: QueueProofRow;
  quarantine: QuarantineRow;
  receivedItems: ReceivedItemRow;
  idempotencyKeys: IdempotencyKeyRow;
  deviceStates: DeviceStateRow;
  checkpoints: CheckpointRow;
  historyImports: HistoryImportRow;
  placesDue: PlaceDueRow;
  /** The triggers whose devices are near each other now. */
  firedOccasions: { triggerId: number; occasion: number };
  proximities: { triggerId: number; otherDeviceId: number; since: number };
  fenceVersions: FenceVersionRow;
  fenceChecks: { deviceId: number; fenceId: number; wasInside: number; lastChecked: number };
  userFences: { userId: number; changes: number; listensUntil: number | null };
  triggerVersions: TriggerVersionRow;
  trips: TripRow;
  stops: StopRow;
  ignitionChanges: IgnitionChangeRow;
  notifications: NotificationRow;
  liveEvents: LiveEventRow;
  /** On PostgreSQL: by slot, the last entry of its live log, the last that was deleted, and since when it has its own. */
  slots: { slot: number; last: number; forgotten: number; since: number };
  /** On PostgreSQL: which node keeps the clock of a slot, and until when. */
  slotClocks: { slot: number; owner: string | null; until: number | null };
  plans: PlanRow;
  planCredits: PlanCreditRow;
  creditNumbers: CreditNumberRow;
  subscriptions: SubscriptionRow;
}

export type Store = Database<Tables>;
