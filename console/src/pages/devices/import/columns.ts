import { type CsvRow, plainCell } from './csv.ts';

/** What a column of a table can contain. `id`, `imei` and `serial` identify a device. */
export const FIELDS = [
  ...(['name', 'imei', 'serial', 'plate', 'type', 'icon', 'group'] as const),
  ...(['driver', 'tags', 'color', 'iccid', 'id'] as const),
];
export type Field = (typeof FIELDS)[number];

/** Headings in the languages of the console, without accents, spaces and signs. The first that fits counts. */
const HEADINGS: readonly (readonly [Field, RegExp])[] = [
  ['id', /^id$/],
  ['imei', /imei|^(uniqueid|unitid|tracker(id|no|nr|number|nummer)?|identifier|identifiant|identificador|kennung)$/],
  ['iccid', /iccid|sim$|^sim(card|number|no|nr|karte|kartennummer|kartennr)$/],
  ['serial', /serial|serien|serie$|^snr?$/],
  [
    'plate',
    /plate|kennzeichen|nummernschild|immatricul|matricul|^(placas?|patente|reg|regno|registration(number|no)?|vrn)$/,
  ],
  ['driver', /^driver|^fahrer|conduct|chauffeur|chofer|assignedto/],
  [
    'group',
    /group|grupp|grupo|fleet|flott|flota|depot|department|abteilung|standort|niederlassung|agence|departamento|^(service|team|branch|site|delegacion)$/,
  ],
  ['icon', /icon|symbol/],
  ['tags', /^tags?$|^labels$|schlagw|stichw|etiket|etiquet|motscle/],
  ['color', /colou?r|farbe|couleur/],
  ['type', /typ$|^type|type$|^tipo|^art$|fahrzeugart|kategor|categor/],
  [
    'name',
    /^((device|vehicle|unit|asset|fahrzeug|geraete?|gerate?|objekt)?name|device|vehicle|unit|asset|van|car|truck|fahrzeug|geraet|gerat|objekt|bezeichnung|nom(duvehicule|delappareil)?|vehicule|appareil|designation|libelle|nombre(delvehiculo|deldispositivo)?|vehiculo|dispositivo|unidad|alias|label|title)$/,
  ],
];
/** Tables have titles and empty rows above their headings. */
const MOST_ABOVE = 10;

function fieldOf(heading: string): Field | undefined {
  const plain = heading
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]/g, '');
  return HEADINGS.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** What the columns contain by their headings; each field at most once. */
export function guessColumns(headings: readonly string[]): (Field | undefined)[] {
  const guessed: (Field | undefined)[] = [];
  for (const heading of headings) {
    const field = fieldOf(heading);
    guessed.push(guessed.includes(field) ? undefined : field);
  }
  return guessed;
}

export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** The headings are the row near the top with the most known names; the rows below are the content. */
export function tableOf(rows: readonly CsvRow[]): Table {
  const known = rows.slice(0, MOST_ABOVE).map(({ cells }) => guessColumns(cells).filter(Boolean).length);
  const at = known.indexOf(Math.max(0, ...known));
  return { headings: (rows[at]?.cells ?? []).map(plainCell), rows: rows.slice(at + 1) };
}
