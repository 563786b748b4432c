import type { Kysely } from 'kysely';
import type { Database } from '../../platform/storage/database.ts';
import type {
  AccountMailRow,
  AuditEntryRow,
  AuthenticatorRow,
  CreditNumberRow,
  DataCopyRow,
  ErasureRow,
  IdempotencyKeyRow,
  InvitationRow,
  LinkRow,
  MailLinkRow,
  MailRecipientRow,
  MailRefusalRow,
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
import type {
  CommandChannelRow,
  DeviceConfigRow,
  DeviceEventRow,
  DeviceRow,
  MessageRow,
  QuarantineRow,
  ReceivedItemRow,
  RtkCommandRow,
  RtkLogRow,
  RtkStateRow,
  ShareGrantRow,
  ShareRow,
  TransientRow,
  UndecodedFrameRow,
  UnknownTrackerRow,
} from './rows/device-rows.ts';
import type {
  DriverRow,
  DriverSignOnRow,
  MaintenanceRecordRow,
  MaintenanceTaskRow,
  NodeRow,
  RateCountRow,
  SavedReportRow,
  VehicleRow,
} from './rows/fleet-tool-rows.ts';
import type {
  DeviceGroupRow,
  GeofenceListRow,
  GeofenceRow,
  GeofenceVersionRow,
  GrantRow,
  NotificationRow,
  NotificationTriggerRow,
  RuleRow,
  TriggerVersionRow,
} from './rows/rule-rows.ts';
import type {
  DestinationRow,
  ForwarderRow,
  OutboxRelayRow,
  OutboxRow,
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
  PlaceQueueRow,
  PointRow,
  PositionRow,
  ReadingRelayRow,
  ReadingSegmentRow,
  SegmentRow,
  StopRow,
  TripRow,
} from './rows/tracking-rows.ts';

/** Every table and view by its name. */
export interface Tables {
  settings: { name: string; value: string };
  migrations: { name: string; checksum: string; suitsOlderNodes: number | null };
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
  accountMails: AccountMailRow;
  /** A view: entries without the addresses of others. */
  auditTrail: AuditEntryRow;
  devices: DeviceRow;
  /** What identifies a device; none for a deleted one. */
  deviceKeys: { deviceId: number; keyHash: string | null; imei: string | null; serial: string | null };
  shares: ShareRow;
  shareGrants: ShareGrantRow;
  deviceGroups: DeviceGroupRow;
  deviceGroupMembers: { deviceId: number; groupId: number; created: number };
  rules: RuleRow;
  /** Devices that must be compared with the rules. */
  ruleQueue: { deviceId: number; queuedAt: number };
  /** Notifications that wait to be acknowledged. */
  escalations: { deviceId: number; notificationId: number; dueAt: number };
  deviceConfigs: DeviceConfigRow;
  deviceEvents: DeviceEventRow;
  unknownTrackers: UnknownTrackerRow;
  undecodedFrames: UndecodedFrameRow;
  geofences: GeofenceRow;
  geofenceLists: GeofenceListRow;
  grants: GrantRow;
  gatewayReadings: GatewayReadingRow;
  /** A view: positions as they were sent. `positions/write.ts` writes them. */
  points: PointRow;
  positions: PositionRow;
  positionSegments: SegmentRow;
  readingRelay: ReadingRelayRow;
  readingSegments: ReadingSegmentRow;
  notificationTriggers: NotificationTriggerRow;
  messages: MessageRow;
  commandChannels: CommandChannelRow;
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
  outboxRelay: OutboxRelayRow;
  deliveries: OutboxRow;
  pushSubscriptions: PushSubscriptionRow;
  links: LinkRow;
  savedViews: SavedViewRow;
  savedReports: SavedReportRow;
  /** The devices in a mailed report. */
  reportDevices: { outboxId: number; deviceId: number };
  vehicles: VehicleRow;
  maintenanceTasks: MaintenanceTaskRow;
  maintenanceRecords: MaintenanceRecordRow;
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
  placeQueue: PlaceQueueRow;
  /** A time, or for a maintenance task the number of `maintenanceOccasion`. */
  firedOccasions: { triggerId: number; taskId: number | null; occasion: number };
  /** The triggers whose devices are near each other now. */
  proximities: { triggerId: number; otherDeviceId: number; startedAt: number };
  geofenceVersions: GeofenceVersionRow;
  geofenceChecks: { deviceId: number; fenceId: number; wasInside: number; lastChecked: number };
  geofenceRevisions: { userId: number; revision: number; mqttUntil: number | null };
  triggerVersions: TriggerVersionRow;
  trips: TripRow;
  stops: StopRow;
  ignitionChanges: IgnitionChangeRow;
  notifications: NotificationRow;
  liveEvents: LiveEventRow;
  /** On PostgreSQL: by slot, the last entry of its live log, the last that was deleted, and since when it has its own. */
  slots: { slot: number; lastId: number; deletedId: number; startId: number };
  /** On PostgreSQL: which node keeps the clock of a slot, and until when. */
  slotTimers: { slot: number; owner: string | null; ownedUntil: number | null };
  plans: PlanRow;
  planCredits: PlanCreditRow;
  creditNumbers: CreditNumberRow;
  subscriptions: SubscriptionRow;
}

export type Store = Database<Tables>;

/** A transaction, or the database itself where each statement commits. */
export type Tx = Kysely<Tables>;
