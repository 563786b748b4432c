import { batteryAt, clockErrorMs, type SimulatedDevice, temperatureAt } from './device.ts';
import { type Fix, fix, Receiver } from './gps.ts';
import { latOf, lngOf } from './ground.ts';
import { hash, Random } from './random.ts';
import type { ReportedPoint, ReportedReading, Transmission } from './report.ts';
import { SpellClock } from './spells.ts';
import { type Sighting, sight, sighting } from './truth.ts';

/** Maximum number of points that a device without network buffers. Then it drops the oldest, as real ones do. */
const MAX_BUFFERED = 1000;
/** Time between the transmissions of a burst. */
const BURST_STEP_MS = 700;
/** Time after which a device without an acknowledgement repeats a transmission. */
const RESEND_MS: readonly [number, number] = [2_000, 40_000];
const DAY_MS = 86_400_000;

/** These objects are shared by all devices, since only one fix is calculated at a time. */
const seen: Sighting = sighting();
const taken: Fix = fix();

/** Generates the endless stream of transmissions of one device, in order of sending. */
export class Reporter {
  readonly device: SimulatedDevice;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #blackouts: SpellClock;
  readonly #offline: SpellClock;
  /** True time of the next fix. Receivers report whole seconds. */
  #fixAt: number;
  #lastFixAt: number;
  #lastUnderWayAt: number;
  #wasUnderWay = false;
  #wasAsleep = false;
  #course = 0;
  #fixes: number;
  #points: ReportedPoint[] = [];
  #readings: ReportedReading[] = [];
  #wasOffline = false;
  #lastSentAt = 0;
  /** Generated transmissions that are not yet due, by time of sending. */
  #ready: Transmission[] = [];

  constructor(device: SimulatedDevice, from: number) {
    this.device = device;
    this.#random = new Random(hash(device.seed, 41));
    this.#receiver = new Receiver(device.profile.gps, this.#random);
    this.#blackouts = new SpellClock(device.profile.blackouts, this.#random, from);
    this.#offline = new SpellClock(device.profile.offline, this.#random, from);
    this.#fixAt = Math.ceil(from / 1000 + this.#random.next() * device.intervalS) * 1000;
    this.#lastFixAt = this.#fixAt;
    this.#lastUnderWayAt = from;
    // A different start for each device, so that not all send their readings at the same time.
    this.#fixes = hash(device.seed, 42) & 255;
  }

  next(): Transmission {
    for (;;) {
      const sent = this.advance();
      if (sent !== undefined) return sent;
    }
  }

  /** Earliest time of the next transmission, epoch ms. */
  get dueAt(): number {
    const first = this.#ready[0];
    return first !== undefined && first.sentAt < this.#fixAt ? first.sentAt : this.#fixAt;
  }

  /** Returns a transmission that is due before the next fix, or takes that fix. */
  advance(): Transmission | undefined {
    const first = this.#ready[0];
    if (first !== undefined && first.sentAt <= this.#fixAt) return this.#ready.shift();
    const next = this.#step();
    if (next !== undefined) this.#enqueue(next);
    return undefined;
  }

  /** Takes one fix. Returns the resulting transmission, if any. Bursts and repetitions are put into `#ready`. */
  #step(): Transmission | undefined {
    const { profile } = this.device;
    const at = this.#fixAt;
    this.#take(at);
    if (this.#offline.holds(at)) {
      this.#wasOffline = true;
      this.#dropOldest();
      return undefined;
    }
    const [least, most] = profile.latencyS;
    const sentAt = Math.max(this.#lastSentAt, at + Math.round(1000 * this.#random.between(least, most)));
    if (this.#wasOffline) {
      this.#wasOffline = false;
      this.#burst(sentAt);
      return undefined;
    }
    if (this.#points.length < profile.packing) return undefined;
    const made = this.#transmission(sentAt, this.#points, this.#readings);
    this.#points = [];
    this.#readings = [];
    return made;
  }

  #transmission(sentAt: number, points: ReportedPoint[], readings: ReportedReading[]): Transmission {
    const { profile, index } = this.device;
    const made: Transmission = { device: index, sentAt, points, readings, isRepeated: false };
    this.#lastSentAt = sentAt;
    if (this.#random.chance(profile.duplicateShare)) {
      const again = sentAt + Math.round(this.#random.between(...RESEND_MS));
      this.#enqueue({ ...made, sentAt: again, isRepeated: true });
    }
    return made;
  }

  #enqueue(made: Transmission): void {
    let place = this.#ready.length;
    while (place > 0 && this.#ready[place - 1]!.sentAt > made.sentAt) place--;
    this.#ready.splice(place, 0, made);
  }

  #burst(sentAt: number): void {
    const { burstPacking, shuffledShare } = this.device.profile;
    const [points, readings] = [this.#points, this.#readings];
    this.#points = [];
    this.#readings = [];
    if (this.#random.chance(shuffledShare)) this.#random.shuffle(points);
    for (let i = 0; i < points.length || i === 0; i += burstPacking) {
      const at = sentAt + (i / burstPacking) * BURST_STEP_MS;
      this.#enqueue(this.#transmission(at, points.slice(i, i + burstPacking), i === 0 ? readings : []));
    }
  }

  #dropOldest(): void {
    // Drops half of the buffer, so that a full one is not moved at every fix.
    if (this.#points.length >= MAX_BUFFERED) this.#points.splice(0, MAX_BUFFERED / 2);
    if (this.#readings.length >= MAX_BUFFERED) this.#readings.splice(0, MAX_BUFFERED / 2);
  }

  #take(at: number): void {
    const { device } = this;
    const { profile, actor, intervalS } = device;
    sight(actor, at, seen);
    const reason = this.#notice(at);
    const isAsleep =
      profile.sleepAfterMin > 0 && !seen.isUnderWay && at - this.#lastUnderWayAt >= profile.sleepAfterMin * 60_000;
    const street = seen.street < 0 ? undefined : actor.city.network.streets[seen.street]!;
    const isBlind = this.#blackouts.holds(at) || street?.isTunnel === true;
    const shown = this.#shown(at);
    if (!isBlind) this.#points.push(this.#point(at, shown, street?.isCanyon === true, reason, isAsleep));
    else if (this.#random.chance(profile.statusShare)) this.#points.push(this.#status(at, shown, isAsleep));
    this.#fixes++;
    if (profile.readingEvery > 0 && device.sensor !== 'none' && this.#fixes % profile.readingEvery === 0) {
      const isUnloading = !seen.isUnderWay && !seen.isHome;
      this.#readings.push({ timestamp: shown, type: 'temp', value: temperatureAt(device, at, isUnloading) });
    }
    this.#lastFixAt = at;
    this.#wasAsleep = isAsleep;
    this.#fixAt = at + intervalS * 1000;
    if (isAsleep) {
      // Movement wakes the device.
      const wakesAt = Math.ceil(seen.staysUntil / 1000 + 5) * 1000;
      this.#fixAt = Math.max(at + 1000, Math.min(at + profile.sleepIntervalMin * 60_000, wakesAt));
    }
  }

  /** Bits of sendReason. */
  #notice(at: number): number {
    const { isUnderWay } = seen;
    const reason =
      (isUnderWay && !this.#wasUnderWay ? 32 : 0) |
      (!isUnderWay && this.#wasUnderWay ? 64 : 0) |
      (isUnderWay && this.#wasAsleep ? 1 : 0);
    if (isUnderWay) this.#lastUnderWayAt = at;
    this.#wasUnderWay = isUnderWay;
    return reason;
  }

  /** The time of the device's clock. */
  #shown(at: number): number | string {
    const shown = at + clockErrorMs(this.device, at);
    return this.device.profile.timestamps === 'iso' ? new Date(shown).toISOString() : shown;
  }

  #point(
    at: number,
    timestamp: number | string,
    isCanyon: boolean,
    sendReason: number,
    isAsleep: boolean,
  ): ReportedPoint {
    const random = this.#random;
    const { ground } = this.device.actor.city;
    this.#receiver.take(at, isCanyon, taken);
    const { pct, isCharging } = batteryAt(this.device, at);
    const point: ReportedPoint = {
      timestamp,
      location: {
        lat: Math.round(latOf(ground, seen.y + taken.northM) * 1e7) / 1e7,
        lng: Math.round(lngOf(ground, seen.x + taken.eastM) * 1e7) / 1e7,
      },
      speed: this.#speed(),
      course: this.#heading(),
      altitude: Math.round(180 + 40 * Math.sin(seen.x / 1900) + 25 * Math.cos(seen.y / 1300)),
      accuracy: Math.max(1, Math.round(taken.accuracyM * 10) / 10),
      locationType: taken.locationType,
      batteryPct: pct,
      mode: isAsleep ? 1 : 0,
    };
    if (taken.locationType === 'gps') point.sats = Math.max(4, Math.round((isCanyon ? 7 : 12) + random.gaussian()));
    if (isCharging) point.averageCharge = 255;
    if (sendReason !== 0) point.sendReason = sendReason;
    const alertType = this.#alert(at);
    if (alertType !== 0) point.alertType = alertType;
    return point;
  }

  /** Reported speed in km/h. A receiver at rest reports a little noise, but never a negative speed. */
  #speed(): number {
    const kmh = seen.speed === 0 ? 0.4 * this.#random.gaussian() - 0.2 : seen.speed * 3.6 + this.#random.gaussian();
    return kmh <= 0 ? 0 : Math.round(kmh * 10) / 10;
  }

  /** Reported course in degrees. At rest, it keeps the last value. */
  #heading(): number {
    if (seen.speed > 1) {
      const course = Math.round(seen.course + 3 * this.#random.gaussian());
      this.#course = course < 0 ? course + 360 : course >= 360 ? course - 360 : course;
    }
    return this.#course;
  }

  #alert(at: number): number {
    const { buttonsPerDay, dropsPerDay } = this.device.profile;
    const days = Math.min(1, (at - this.#lastFixAt) / DAY_MS);
    return (this.#random.chance(buttonsPerDay * days) ? 8 : 0) | (this.#random.chance(dropsPerDay * days) ? 1 : 0);
  }

  #status(at: number, timestamp: number | string, isAsleep: boolean): ReportedPoint {
    const { pct } = batteryAt(this.device, at);
    return { timestamp, locationType: 'invalid', batteryPct: pct, mode: isAsleep ? 1 : 0 };
  }
}
