/** A report of a device, as in the body of `POST /ingest/reports`. */

export interface ReportedPoint {
  /** Time of the device's own clock: epoch ms or ISO 8601. */
  timestamp: number | string;
  /** Absent in a status report. */
  location?: { lat: number; lng: number };
  /** km/h. */
  speed?: number;
  /** Degrees clockwise from north. */
  course?: number;
  /** Metres above sea level. */
  altitude?: number;
  /** 68 % radius in metres. */
  accuracy?: number;
  locationType: 'gps' | 'wifi' | 'gsm' | 'invalid';
  sats?: number;
  batteryPct: number;
  /** 255 means charging. */
  averageCharge?: number;
  /** Bits: 1 wake, 2 sleep, 32 started, 64 stopped. */
  sendReason?: number;
  /** Bits: 1 drop, 8 button. */
  alertType?: number;
  /** 0 awake, 1 asleep. */
  mode: number;
}

export interface ReportedReading {
  timestamp: number | string;
  type: string;
  value: number;
}

export interface Transmission {
  /** Index of the device in the fleet. */
  readonly device: number;
  /** True time, epoch ms. */
  readonly sentAt: number;
  readonly points: readonly ReportedPoint[];
  readonly readings: readonly ReportedReading[];
  /** A repetition of a transmission that had arrived. */
  readonly isRepeated: boolean;
}
