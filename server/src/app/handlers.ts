import type { Handlers } from '../calls.ts';
import { auditOperations } from '../domain/audit/operations.ts';
import { deviceConfigs } from '../domain/commands/config-operations.ts';
import { firmwareOperations } from '../domain/commands/firmware.ts';
import { messageOperations } from '../domain/commands/message-operations.ts';
import { rtkOperations } from '../domain/commands/rtk-operations.ts';
import { transientOperations } from '../domain/commands/transients.ts';
import { deliveryOperations } from '../domain/delivery/deliveries.ts';
import { destinationOperations } from '../domain/delivery/destinations.ts';
import { reconsiderHeld } from '../domain/delivery/digests.ts';
import { forwardingOperations } from '../domain/delivery/forwarder-operations.ts';
import { mqttCredentials } from '../domain/delivery/listener-credentials.ts';
import { notificationOperations } from '../domain/delivery/notification-operations.ts';
import { pushSubscriptionOperations } from '../domain/delivery/push-subscriptions.ts';
import type { SendProof } from '../domain/delivery/queue-proofs.ts';
import { recipientOperations } from '../domain/delivery/recipients.ts';
import type { SendingPolicy } from '../domain/delivery/sending-policy.ts';
import type { DeviceAccess } from '../domain/devices/access.ts';
import { claimOperations } from '../domain/devices/claim.ts';
import type { ShareFollowers } from '../domain/devices/grants.ts';
import { deviceGroupOperations } from '../domain/devices/groups/operations.ts';
import { deviceIdentifiers } from '../domain/devices/identifiers.ts';
import { metaAndTagOperations } from '../domain/devices/meta-and-tags.ts';
import { deviceOperations } from '../domain/devices/operations.ts';
import { devicePages } from '../domain/devices/page-v2.ts';
import { devicePlanOperations } from '../domain/devices/plan-operations.ts';
import { rulesChanged } from '../domain/devices/rules-changed.ts';
import { shareOperations } from '../domain/devices/shares.ts';
import type { TrackerNotes } from '../domain/devices/tracker-notes.ts';
import { trackerOperations } from '../domain/devices/tracker-operations.ts';
import { geofenceListOperations } from '../domain/geofences/list-operations.ts';
import { geofenceOperations } from '../domain/geofences/operations.ts';
import { geofenceV2Operations } from '../domain/geofences/operations-v2.ts';
import type { ErasureParts } from '../domain/history/erase.ts';
import { personalDataHandlers } from '../domain/history/personal-data.ts';
import { retentionOperations } from '../domain/history/retention-operations.ts';
import { rightsEnded } from '../domain/history/rights-ending.ts';
import type { RouteOf } from '../domain/links/look.ts';
import { groupLinkOperations, linkOperations } from '../domain/links/operations.ts';
import { heatMapOperations } from '../domain/motion/heat-operations.ts';
import { tripOperations } from '../domain/motion/trip-operations.ts';
import { planOperations } from '../domain/plans/operations.ts';
import { includedSubscription } from '../domain/plans/shown-plans.ts';
import { fleetReportOperations } from '../domain/reports/operations.ts';
import { savedReportOperations } from '../domain/reports/saved-operations.ts';
import type { reportSender } from '../domain/reports/send-report.ts';
import type { Store } from '../domain/schema/tables.ts';
import { type ChannelSetupParts, channelSetupOperations } from '../domain/service/channel-setup.ts';
import { healthOperations, type Vitals } from '../domain/service/health.ts';
import { infoOperations } from '../domain/service/info.ts';
import { mapOperations, type ServerMaps } from '../domain/service/maps.ts';
import type { OwnNode } from '../domain/service/nodes/node.ts';
import { nodeOperations } from '../domain/service/nodes/operations.ts';
import { type Geocoder, placeNameOperations } from '../domain/service/place-names.ts';
import { reachOperations, type ServerReach } from '../domain/service/reach.ts';
import { fleetOperations, insideOperations, nearbyOperations } from '../domain/tracking/api/fleet.ts';
import { historyImportOperations } from '../domain/tracking/api/history-imports.ts';
import { points } from '../domain/tracking/api/points.ts';
import { quarantineOperations } from '../domain/tracking/api/quarantine.ts';
import { readingOperations, readingTouched } from '../domain/tracking/api/readings.ts';
import { timelineOperations } from '../domain/tracking/api/timeline.ts';
import { trialOperations } from '../domain/tracking/api/try-trigger.ts';
import { reportOperations } from '../domain/tracking/api/vehicle-reports.ts';
import { whereaboutsOperations } from '../domain/tracking/api/whereabouts.ts';
import type { Engine } from '../domain/tracking/engine.ts';
import { triggerOperations } from '../domain/triggers/operations.ts';
import { ruleOperations } from '../domain/triggers/rule-operations.ts';
import { channelTests } from '../domain/triggers/test-channels.ts';
import type { AccountMailer } from '../domain/users/account-letters.ts';
import { accountOperations } from '../domain/users/accounts.ts';
import type { Signing } from '../domain/users/browser-sessions.ts';
import { confirmationOperations } from '../domain/users/confirmations.ts';
import { setUpOperations } from '../domain/users/first-admin.ts';
import { invitationOperations } from '../domain/users/invitations.ts';
import type { LastUses } from '../domain/users/last-uses.ts';
import { passkeyOperations } from '../domain/users/passkeys.ts';
import { passwordResetOperations } from '../domain/users/password-reset.ts';
import { ownPasswordOf } from '../domain/users/passwords.ts';
import { personalTokenOperations } from '../domain/users/personal-tokens.ts';
import { savedViewOperations } from '../domain/users/saved-views.ts';
import { secondFactorOperations } from '../domain/users/second-factor.ts';
import { serviceAccountOperations } from '../domain/users/service-accounts.ts';
import { sessionListOperations } from '../domain/users/session-list.ts';
import { sessionOperations } from '../domain/users/sessions.ts';
import type { SessionLife } from '../domain/users/tokens.ts';
import { driverOperations } from '../domain/vehicles/driver-operations.ts';
import { maintenanceOperations } from '../domain/vehicles/maintenance-operations.ts';
import { vehicleOperations } from '../domain/vehicles/vehicles.ts';
import { channelsSetUp, setupOf } from '../edge/channels/channels.ts';
import { isAllowed } from '../edge/channels/sqs-outcome.ts';
import { OVERLAY } from '../edge/http/console.ts';
import { identifySample } from '../edge/listeners/identify-sample.ts';
import { trackerProtocols } from '../edge/protocols/trackers/trackers.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Vault } from '../platform/vault.ts';
import { keptHistoryOf } from './from-settings.ts';
import { quotasOf } from './limits.ts';
import type { Settings } from './settings.ts';
import { grantsClaimer } from './sharing.ts';

/** What the handlers are made of. */
interface Parts {
  readonly store: Store;
  readonly settings: Settings;
  readonly engine: Engine;
  readonly access: DeviceAccess;
  readonly egress: Egress;
  readonly wakeOutbox: () => void;
  readonly pushKey: string;
  readonly vitals: Vitals;
  readonly node: OwnNode;
  readonly signing: Signing;
  readonly sendProof: SendProof;
  readonly channelSetup: ChannelSetupParts;
  readonly life: SessionLife;
  readonly uses: LastUses;
  readonly policy: SendingPolicy;
  readonly mailer: AccountMailer;
  readonly shareFollowers: ShareFollowers;
  readonly vault: Vault;
  readonly erasure: ErasureParts;
  readonly notes: TrackerNotes;
  readonly reports: ReturnType<typeof reportSender>;
  readonly maps: ServerMaps;
  readonly geocoder: Geocoder | undefined;
  readonly router: { readonly routeOf: RouteOf } | undefined;
  readonly reach: ServerReach;
  /** Tells that a message waits for a device. */
  readonly messageQueued: (deviceId: number) => void;
  readonly channelReleased: (deviceId: number) => void;
  /** Where trackers are recognised, once the server listens. */
  readonly trackersPort: () => number | undefined;
  /** Lets triggers follow what was changed of rules and groups, as far as that is quickly done. */
  readonly follow: () => Promise<void>;
}

/** One line for each family of operations; the compiler asks for what the contract has and these lists lack. */
export const handlersOf = (parts: Parts): Handlers => ({
  ...accountHandlers(parts),
  ...deviceHandlers(parts),
  ...historyHandlers(parts),
  ...ruleHandlers(parts),
  ...deliveryHandlers(parts),
  ...serviceHandlers(parts),
});

function accountHandlers({ store, settings, life, uses, signing, mailer, vault, erasure, shareFollowers }: Parts) {
  const addressConfirmed = grantsClaimer(shareFollowers);
  const ownPassword = ownPasswordOf(store, signing.factors);
  const tokenParts = { ownPassword, uses, quotas: quotasOf(settings) };
  return {
    ...sessionOperations(store, life, signing.check),
    ...sessionListOperations(store, uses),
    ...accountOperations(store, { hoursChanged: reconsiderHeld, rightsEnded, addressConfirmed }, mailer, ownPassword),
    ...confirmationOperations(store, mailer, addressConfirmed),
    ...passwordResetOperations(store, mailer),
    ...invitationOperations(store, mailer, addressConfirmed),
    ...personalTokenOperations(store, tokenParts),
    ...secondFactorOperations(store, { ...signing, mailer }),
    ...passkeyOperations(store, { prove: signing.prove, publicUrl: settings.publicUrl }),
    ...serviceAccountOperations(store, tokenParts),
    ...setUpOperations(store),
    ...savedViewOperations(store),
    ...personalDataHandlers(erasure, ownPassword),
    ...auditOperations(store),
    ...recipientOperations(store, vault),
  };
}

function deviceHandlers(parts: Parts) {
  const { store, settings, engine, access, vault, mailer, notes, shareFollowers } = parts;
  const configs = deviceConfigs(store);
  const named = deviceIdentifiers(store, access);
  const positions = points(store, engine);
  const quotas = quotasOf(settings);
  return {
    ...deviceOperations(
      store,
      { config: configs.included, points: positions.included, subscription: includedSubscription(store) },
      vault,
      rightsEnded,
      quotas,
      usersJoinUnasked(settings, mailer),
    ),
    ...devicePages(store),
    ...metaAndTagOperations(store, access),
    ...shareOperations(store, shareFollowers, sharingOf(parts), quotas),
    ...deviceGroupOperations(store, { followers: shareFollowers, policy: sharingOf(parts), follow: parts.follow }),
    ...claimOperations({ store, followers: shareFollowers, rightsEnded, quotas }),
    ...configs.operations,
    ...firmwareOperations(store),
    ...messageOperations(store, parts.messageQueued, parts.channelReleased, quotas),
    ...transientOperations(store, quotas),
    ...rtkOperations(store, vault, quotas),
    ...trackerOperations(store, notes, (data, now) => identifySample(trackerProtocols, data, now)),
    ...positions.operations,
    ...readingOperations(store, access, readingTouched, engine.evaluateAgain),
    ...devicePlanOperations(store, named),
    ...planOperations(store, {
      usersMayBuy: settings.planPurchase,
      isSeen: async (caller, identifier) => (await named(caller, identifier)) !== undefined,
    }),
    ...linkOperations(store, settings.publicUrl, parts.router?.routeOf),
    ...groupLinkOperations(store, settings.publicUrl),
  };
}

/** What devices did. */
const historyHandlers = ({ store, engine, access, reports, policy, wakeOutbox }: Parts) => ({
  ...historyImportOperations(store, engine),
  ...tripOperations(store, access),
  ...reportOperations(store, access),
  ...fleetReportOperations(store),
  ...savedReportOperations(store, reports, policy, wakeOutbox),
  ...timelineOperations(store, engine.intake),
  ...heatMapOperations(store),
  ...fleetOperations(store),
  ...nearbyOperations(store),
  ...whereaboutsOperations(store),
  ...insideOperations(store),
  ...quarantineOperations(store, engine),
  ...maintenanceOperations(store),
  ...vehicleOperations(store),
  ...driverOperations(store),
});

function ruleHandlers(parts: Parts) {
  const { store, settings, engine, access, egress, policy, vault, follow, wakeOutbox: wake } = parts;
  const { checkTarget } = egress;
  const quotas = quotasOf(settings);
  return {
    ...triggerOperations(store, access, checkTarget, policy, quotas, vault),
    ...ruleOperations(store, { access, checkTarget, policy, vault, follow }),
    ...trialOperations(store),
    ...channelTests(store, { access, checkTarget, policy, vault, wake }),
    ...geofenceOperations(store, access, engine.fenceShaped, quotas),
    ...geofenceV2Operations(store, access, engine.fenceShaped, quotas),
    ...geofenceListOperations(store, sharingOf(parts), quotas),
  };
}

const deliveryHandlers = ({ store, settings, vault, egress, wakeOutbox, sendProof }: Parts) => ({
  ...notificationOperations(store),
  ...deliveryOperations(store, wakeOutbox),
  ...destinationOperations(store, wakeOutbox, vault),
  ...forwardingOperations(store, {
    checkTarget: egress.checkTarget,
    changed: rulesChanged,
    vault,
    missing: (kind) => setupOf(settings)[kind].missing,
    isAllowedQueue: (arn) => isAllowed(arn, settings.sqsAllow),
    sendProof,
  }),
  ...mqttCredentials(store, () => ({ missing: setupOf(settings).mqtt.missing, url: brokerAddressOf(settings) })),
  ...pushSubscriptionOperations(store, egress.checkTarget, vault),
});

function serviceHandlers(parts: Parts) {
  const { store, settings, vitals, node, maps, pushKey, trackersPort } = parts;
  return {
    ...infoOperations(store, {
      ...settings,
      findsAddresses: settings.geocoderUrl !== '',
      trackersPort,
      openidButton: settings.openidIssuer && settings.openidButton,
      map: maps.shown,
      mapOverlay: settings.mapOverlay && OVERLAY,
      pushKey,
      channels: () => channelsSetUp(settings),
    }),
    ...healthOperations(store, vitals, node.name),
    ...nodeOperations(store, node, vitals.owned),
    ...retentionOperations(store, keptHistoryOf(settings)),
    ...mapOperations(store, maps),
    ...reachOperations(parts.reach),
    ...channelSetupOperations(store, parts.channelSetup),
    ...placeNameOperations(store, parts.geocoder),
  };
}

const sharingOf = ({ settings, mailer }: Parts) => ({
  mailer,
  newAddressesPerDay: settings.shareLimit,
  isInviting: settings.invitedSignUp,
});

/** Whether people can get an account without an admin. */
const usersJoinUnasked = (settings: Settings, mailer: Pick<AccountMailer, 'missing'>) =>
  (settings.invitedSignUp && mailer.missing === undefined) ||
  (settings.openidIssuer !== '' && settings.openidCreateUsers);

/** Where programs reach the broker: without the account of the server. */
function brokerAddressOf({ mqttUrl, mqttPublicUrl }: Settings): string {
  if (mqttPublicUrl !== '' || mqttUrl === '') return mqttPublicUrl;
  const { protocol, host, pathname } = new URL(mqttUrl);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
