import type { Handlers } from '../calls.ts';
import { auditOperations } from '../domain/audit/operations.ts';
import { rtkOperations } from '../domain/commands/rtk-operations.ts';
import { transientOperations } from '../domain/commands/transients.ts';
import { firmwareOperations } from '../domain/device-config/firmware.ts';
import { deviceConfigs } from '../domain/device-config/operations.ts';
import type { DeviceAccess } from '../domain/devices/access.ts';
import { claimOperations } from '../domain/devices/claiming/operations.ts';
import type { ShareFollowers } from '../domain/devices/grants.ts';
import { deviceGroupOperations } from '../domain/devices/groups/operations.ts';
import { deviceIdentifiers } from '../domain/devices/identifiers.ts';
import { metaAndTagOperations } from '../domain/devices/meta-and-tags.ts';
import { deviceOperations } from '../domain/devices/operations.ts';
import { devicePlanOperations } from '../domain/devices/plans/operations.ts';
import { rulesChanged } from '../domain/devices/rules-changed.ts';
import { shareOperations } from '../domain/devices/shares.ts';
import { trackerOperations } from '../domain/devices/trackers/operations.ts';
import type { TrackerNotes } from '../domain/devices/trackers/tracker-notes.ts';
import { devicePages } from '../domain/devices/v2/page-v2.ts';
import { driverOperations } from '../domain/drivers/operations.ts';
import { geofenceListOperations } from '../domain/geofences/lists/operations.ts';
import { geofenceOperations } from '../domain/geofences/operations.ts';
import { geofenceV2Operations } from '../domain/geofences/operations-v2.ts';
import { groupLinkOperations } from '../domain/links/group-operations.ts';
import { linkOperations } from '../domain/links/operations.ts';
import { maintenanceOperations } from '../domain/maintenance/operations.ts';
import { messageOperations } from '../domain/messages/operations.ts';
import { heatMapOperations } from '../domain/motion/heat/heat-operations.ts';
import { tripOperations } from '../domain/motion/operations.ts';
import { notificationOperations } from '../domain/notifications/operations.ts';
import type { ErasureParts } from '../domain/persons/erase.ts';
import { personalDataHandlers } from '../domain/persons/operations.ts';
import { includedSubscription } from '../domain/plans/active-subscription.ts';
import { planOperations } from '../domain/plans/operations.ts';
import { nearbyOperations } from '../domain/readings/nearby.ts';
import { readingOperations } from '../domain/readings/operations.ts';
import { fleetReportOperations } from '../domain/reports/operations.ts';
import { savedReportOperations } from '../domain/reports/saved/operations.ts';
import type { reportSender } from '../domain/reports/saved/send-report.ts';
import { retentionOperations } from '../domain/retention/operations.ts';
import { ruleOperations } from '../domain/rules/operations.ts';
import type { Store } from '../domain/schema/tables.ts';
import { forwardingOperations } from '../domain/sending/forwarders/forwarder-operations.ts';
import { mqttCredentials } from '../domain/sending/listeners/credentials.ts';
import { deliveryOperations } from '../domain/sending/outbox-api/deliveries.ts';
import { destinationOperations } from '../domain/sending/outbox-api/destinations.ts';
import { reconsiderHeld } from '../domain/sending/people/digests.ts';
import { pushSubscriptionOperations } from '../domain/sending/people/push-subscriptions.ts';
import { recipientOperations } from '../domain/sending/people/recipients.ts';
import type { SendProof } from '../domain/sending/queues/queue-proofs.ts';
import type { SendingPolicy } from '../domain/sending/sending-policy.ts';
import { healthOperations, type Vitals } from '../domain/service/health.ts';
import { infoOperations } from '../domain/service/info.ts';
import { mapOperations, type ServerMaps } from '../domain/service/maps/operations.ts';
import type { OwnNode } from '../domain/service/nodes/node.ts';
import { nodeOperations } from '../domain/service/nodes/operations.ts';
import { type Geocoder, placeNameOperations } from '../domain/service/place-names/operations.ts';
import { reachOperations } from '../domain/service/reach.ts';
import { rightsEnding } from '../domain/service/rights-ending.ts';
import { fleetOperations } from '../domain/tracking/api/fleet.ts';
import { historyImportOperations } from '../domain/tracking/api/history-imports.ts';
import { insideOperations } from '../domain/tracking/api/inside.ts';
import { points } from '../domain/tracking/api/points.ts';
import { quarantineOperations } from '../domain/tracking/api/quarantine.ts';
import { readingTouched } from '../domain/tracking/api/reading-touched.ts';
import { timelineOperations } from '../domain/tracking/api/timeline.ts';
import { trialOperations } from '../domain/tracking/api/try-trigger.ts';
import { reportOperations } from '../domain/tracking/api/vehicle-reports.ts';
import { whereaboutsOperations } from '../domain/tracking/api/whereabouts.ts';
import type { Engine } from '../domain/tracking/engine.ts';
import { triggerOperations } from '../domain/triggers/operations.ts';
import { accountOperations } from '../domain/users/accounts.ts';
import { setUpOperations } from '../domain/users/first-admin.ts';
import type { LastUses } from '../domain/users/last-uses.ts';
import { confirmationOperations } from '../domain/users/mail-links/confirmations.ts';
import { invitationOperations } from '../domain/users/mail-links/invitations.ts';
import type { MailDesk } from '../domain/users/mail-links/mail-desk.ts';
import { passwordResetOperations } from '../domain/users/mail-links/password-reset.ts';
import { ownPasswordOf } from '../domain/users/own-password.ts';
import { passkeyOperations } from '../domain/users/passkeys/operations.ts';
import { personalTokenOperations } from '../domain/users/personal-tokens.ts';
import { savedViewOperations } from '../domain/users/saved-views/operations.ts';
import { secondFactorOperations } from '../domain/users/second-factor/operations.ts';
import { serviceAccountOperations } from '../domain/users/service-accounts/operations.ts';
import { sessionListOperations } from '../domain/users/session-list.ts';
import { sessionOperations } from '../domain/users/sessions.ts';
import type { Signing } from '../domain/users/signing.ts';
import type { SessionLife } from '../domain/users/tokens.ts';
import { channelsSetUp, setupOf } from '../edge/channels/channels.ts';
import { isAllowed } from '../edge/channels/sqs-queue.ts';
import { OVERLAY } from '../edge/http/console.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Vault } from '../platform/vault.ts';
import type { Settings } from '../settings.ts';
import { keptHistoryOf } from './from-settings.ts';
import { quotasOf } from './limits.ts';
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
  readonly life: SessionLife;
  readonly uses: LastUses;
  readonly policy: SendingPolicy;
  readonly desk: MailDesk;
  readonly shareFollowers: ShareFollowers;
  readonly vault: Vault;
  readonly erasure: ErasureParts;
  readonly notes: TrackerNotes;
  readonly reports: ReturnType<typeof reportSender>;
  readonly maps: ServerMaps;
  readonly geocoder: Geocoder | undefined;
  /** Where the server listens, once it does. */
  readonly address: () => string;
  /** Tells that a message waits for a device. */
  readonly messageQueued: (deviceId: number) => void;
  /** Where trackers are recognised, once the server listens. */
  readonly trackersPort: () => number | undefined;
  /** Lets triggers follow what was changed of rules and groups, as far as that is quickly done. */
  readonly follow: () => Promise<void>;
}

/** One line for each family of operations; the compiler asks for what the contract has and this list lacks. */
export function handlersOf(parts: Parts): Handlers {
  const { store, settings, engine, access, egress, wakeOutbox, pushKey, vitals, life, uses, sendProof, vault } = parts;
  const { policy, desk, shareFollowers, signing } = parts;
  const { checkTarget } = egress;
  const configs = deviceConfigs(store);
  const named = deviceIdentifiers(store, access);
  const positions = points(store, engine);
  const rightsEnded = rightsEnding(store.storeKind);
  const addressConfirmed = grantsClaimer(shareFollowers);
  const sharing = { desk, newAddressesPerDay: settings.shareLimit, isInviting: settings.invitedSignUp };
  const quotas = quotasOf(settings);
  const mapOverlay = settings.mapOverlay && OVERLAY;
  const openidButton = settings.openidIssuer && settings.openidButton;
  const { trackersPort, follow } = parts;
  const map = parts.maps.shown;
  const channels = channelsSetUp(settings);
  const info = { ...settings, trackersPort, openidButton, map, mapOverlay, pushKey, channels };
  const tokenParts = { ownPassword: ownPasswordOf(store), uses, quotas };
  return {
    ...sessionOperations(store, life, signing.check),
    ...sessionListOperations(store, uses),
    ...accountOperations(store, { hoursChanged: reconsiderHeld, rightsEnded, addressConfirmed }, desk),
    ...confirmationOperations(store, desk, addressConfirmed),
    ...passwordResetOperations(store, desk),
    ...invitationOperations(store, desk, addressConfirmed),
    ...recipientOperations(store),
    ...personalTokenOperations(store, tokenParts),
    ...secondFactorOperations(store, { ...signing, desk }),
    ...passkeyOperations(store, { prove: signing.prove, publicUrl: settings.publicUrl }),
    ...serviceAccountOperations(store, tokenParts),
    ...setUpOperations(store),
    ...personalDataHandlers(parts.erasure, tokenParts.ownPassword),
    ...deviceOperations(
      store,
      { config: configs.included, points: positions.included, subscription: includedSubscription(store) },
      vault,
      rightsEnded,
      quotas,
    ),
    ...metaAndTagOperations(store, access),
    ...shareOperations(store, shareFollowers, sharing, quotas),
    ...deviceGroupOperations(store, { followers: shareFollowers, policy: sharing, follow }),
    ...configs.operations,
    ...firmwareOperations(store),
    ...readingOperations(store, access, readingTouched(store.storeKind), engine.judgeAgain),
    ...positions.operations,
    ...historyImportOperations(store, engine),
    ...tripOperations(store, access),
    ...reportOperations(store, access),
    ...fleetReportOperations(store),
    ...timelineOperations(store, engine.intake),
    ...triggerOperations(store, access, checkTarget, policy, quotas),
    ...ruleOperations(store, { access, checkTarget, policy, follow }),
    ...trialOperations(store),
    ...notificationOperations(store),
    ...deliveryOperations(store, wakeOutbox),
    ...destinationOperations(store, wakeOutbox, vault),
    ...messageOperations(store, parts.messageQueued),
    ...transientOperations(store),
    ...rtkOperations(store, vault),
    ...geofenceOperations(store, access, engine.fenceShaped, quotas),
    ...geofenceV2Operations(store, access, engine.fenceShaped, quotas),
    ...geofenceListOperations(store, sharing, quotas),
    ...insideOperations(store),
    ...fleetOperations(store),
    ...devicePages(store),
    ...nearbyOperations(store),
    ...forwardingOperations(store, {
      checkTarget,
      changed: rulesChanged,
      vault,
      missing: (kind) => setupOf(settings)[kind].missing,
      isAllowedQueue: (arn) => isAllowed(arn, settings.sqsAllow),
      sendProof,
    }),
    ...mqttCredentials(store, { missing: setupOf(settings).mqtt.missing, url: brokerAddressOf(settings) }),
    ...pushSubscriptionOperations(store, checkTarget, vault),
    ...linkOperations(store, settings.publicUrl),
    ...groupLinkOperations(store, settings.publicUrl),
    ...savedViewOperations(store),
    ...savedReportOperations(store, parts.reports, wakeOutbox),
    ...maintenanceOperations(store),
    ...driverOperations(store),
    ...heatMapOperations(store),
    ...devicePlanOperations(store, named),
    ...claimOperations({ store, followers: shareFollowers, rightsEnded, quotas }),
    ...planOperations(store, {
      usersMayBuy: settings.planPurchase,
      isSeen: async (caller, identifier) => (await named(caller, identifier)) !== undefined,
    }),
    ...whereaboutsOperations(store),
    ...auditOperations(store),
    ...quarantineOperations(store, engine),
    ...trackerOperations(store, parts.notes),
    ...infoOperations(store, info),
    ...healthOperations(store, vitals, parts.node.name),
    ...nodeOperations(store, parts.node, vitals.owned),
    ...retentionOperations(store, keptHistoryOf(settings)),
    ...mapOperations(store, parts.maps),
    ...reachOperations({ publicUrl: settings.publicUrl, host: settings.host, address: parts.address }),
    ...placeNameOperations(store, parts.geocoder),
  };
}

/** Where programs reach the broker: without the account of the server. */
function brokerAddressOf({ mqttUrl, mqttPublicUrl }: Settings): string {
  if (mqttPublicUrl !== '' || mqttUrl === '') return mqttPublicUrl;
  const { protocol, host, pathname } = new URL(mqttUrl);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
