/** What a sentence about a trigger is made of; quantities come in the viewer's units. */
export interface ClauseParts {
  readonly zone: string;
  readonly zoneType: 'inside' | 'outside' | 'cross';
  /** Seconds that a device must be inside or outside of the one zone before it counts. */
  readonly enterAfter: number;
  readonly exitAfter: number;
  readonly limit: string;
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly threshold: string;
  readonly lasts: number;
  readonly after: number;
  readonly days: readonly number[];
  readonly readingType: string;
  readonly other: string;
  readonly meters: string;
  readonly mask: number | undefined;
  /** None: any. */
  readonly alarms: readonly string[];
}

/** What a sentence about why a trigger fired is made of: the facts that the server recorded, in the viewer's units. */
export interface WhyParts {
  readonly value: string;
  readonly limit: string;
  readonly threshold: string;
  /** The bound that the value passed. */
  readonly below: string | undefined;
  readonly above: string | undefined;
  readonly readingType: string;
  /** Names of alerts, or their bits where they have none; undefined where none was recorded. */
  readonly alerts: string | undefined;
  readonly since: string;
  readonly heardAt: string;
  readonly after: string;
  readonly expires: string;
  /** What is to be done, and what was left until then; undefined where it was due. */
  readonly task: string;
  readonly rest: string | undefined;
  readonly other: string | undefined;
  /** To the other device; undefined where it was heard by Bluetooth. */
  readonly apart: string | undefined;
  readonly crossing: WhyCrossing | undefined;
}

export interface WhyCrossing {
  readonly fence: string | undefined;
  /** "200 m inside" */
  readonly where: string;
  readonly accuracy: string;
  readonly sure: string;
  readonly isStopped: boolean;
  /** It passed through between two positions. */
  readonly isPassage: boolean;
}
