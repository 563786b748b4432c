import assert from 'node:assert/strict';
import { test } from 'node:test';
import writeExcelFile from 'write-excel-file/node';
import { type Field, guessColumns, tableOf } from './columns.ts';
import { planImport } from './import-plan.ts';
import { readTable } from './read-table.ts';

const VANS = 50;
const imeiOf = (van: number) => String(352_093_080_000_000 + van);

/** A column: its heading, what it must be taken for, and its cells. */
type Column = readonly [heading: string, field: Field | undefined, cell: (van: number) => string | number];
interface Sheet {
  readonly title: string;
  /** Rows above the headings. */
  readonly above?: readonly string[];
  readonly columns: readonly Column[];
  readonly as: 'xlsx' | 'comma' | 'semicolon' | 'tab' | 'windows-1252' | 'utf-16';
}

const text = (start: string) => (van: number) => `${start} ${van}`;
const imei: Column[2] = imeiOf;
const SHEETS: readonly Sheet[] = [
  {
    title: 'German, from Excel',
    as: 'xlsx',
    columns: [
      ['Fahrzeug', 'name', text('Sprinter')],
      ['IMEI-Nr.', 'imei', (van) => Number(imeiOf(van))],
      ['Kennzeichen', 'plate', text('B-TW')],
      ['Abteilung', 'group', () => 'Süd'],
      ['Fahrer', 'driver', text('Jörg')],
      ['Baujahr', undefined, () => 2021],
    ],
  },
  {
    title: 'German, below a title, with semicolons in the code page of Windows',
    as: 'windows-1252',
    above: ['Fuhrpark Köln', ''],
    columns: [
      ['Bezeichnung', 'name', text('Müllwagen')],
      ['Geräte-IMEI', 'imei', imei],
      ['Fahrzeugtyp', 'type', () => 'LKW'],
      ['Seriennummer', 'serial', text('SN')],
    ],
  },
  {
    title: 'French, from Excel',
    as: 'xlsx',
    above: ['Parc de véhicules'],
    columns: [
      ['Immatriculation', 'plate', text('AB-123')],
      ['Nom du véhicule', 'name', text('Camion')],
      ['N° IMEI', 'imei', (van) => Number(imeiOf(van))],
      ['Groupe', 'group', () => 'Nord'],
      ['Couleur', 'color', () => '#2f6fc4'],
    ],
  },
  {
    title: 'French, with semicolons',
    as: 'semicolon',
    columns: [
      ['Désignation', 'name', text('Fourgon')],
      ['IMEI', 'imei', imei],
      ['Numéro de série', 'serial', text('S')],
      ['Carte SIM', 'iccid', text('8933')],
      ['Conducteur', 'driver', text('Hélène')],
    ],
  },
  {
    title: 'Spanish, with tabs',
    as: 'tab',
    columns: [
      ['Vehículo', 'name', text('Furgoneta')],
      ['Matrícula', 'plate', text('1234 BCD')],
      ['Número IMEI', 'imei', imei],
      ['Flota', 'group', () => 'Este'],
      ['Conductor', 'driver', text('Íñigo')],
      ['Tipo de vehículo', 'type', () => 'furgoneta'],
    ],
  },
  {
    title: 'Spanish, as Unicode text of Excel',
    as: 'utf-16',
    columns: [
      ['Nombre', 'name', text('Camión')],
      ['IMEI del equipo', 'imei', imei],
      ['Placa', 'plate', text('XYZ')],
      ['Categoría', 'type', () => 'camión'],
      ['Observaciones', undefined, () => 'ninguna'],
    ],
  },
  {
    title: 'English, as another platform exports it',
    as: 'comma',
    columns: [
      ['name', 'name', text('Truck')],
      ['uniqueId', 'imei', imei],
      ['category', 'type', () => 'truck'],
      ['phone', undefined, text('+1 555')],
      ['Group', 'group', () => 'West'],
    ],
  },
  {
    title: 'English, of a fleet manager',
    as: 'xlsx',
    above: ['Fleet list 2026', '', ''],
    columns: [
      ['#', undefined, (van) => van],
      ['Vehicle', 'name', text('Van')],
      ['Reg No.', 'plate', text('LK21')],
      ['Tracker IMEI', 'imei', (van) => Number(imeiOf(van))],
      ['Depot', 'group', () => 'Leeds'],
      ['Driver name', 'driver', text('Sam')],
      ['Icon', 'icon', () => 'van'],
    ],
  },
  {
    title: 'German, with a column of each language mixed in',
    as: 'semicolon',
    columns: [
      ['Gerät', 'name', text('Anhänger')],
      ['Serial No', 'serial', text('TR')],
      ['IMEI', 'imei', imei],
      ['Schlagwörter', 'tags', () => 'kalt; reserve'],
      ['Farbe', 'color', () => 'rot'],
    ],
  },
  {
    title: 'French, without names but plates',
    as: 'comma',
    columns: [
      ['Plaque d’immatriculation', 'plate', text('CD-456')],
      ['Identifiant', 'imei', imei],
      ['Agence', 'group', () => 'Lyon'],
      ['Chauffeur', 'driver', text('Zoé')],
    ],
  },
];

async function fileOf({ above = [], columns, as }: Sheet): Promise<Blob> {
  const rows = [
    ...above.map((line) => [line]),
    columns.map(([heading]) => heading),
    ...Array.from({ length: VANS }, (_, van) => columns.map(([, , cell]) => cell(van + 1))),
  ];
  if (as === 'xlsx') {
    const sheet = rows.map((row) =>
      row.map((value) => (value === '' ? null : { value, type: typeof value === 'number' ? Number : String })),
    );
    return new Blob([new Uint8Array(await (await writeExcelFile(sheet as never)).toBuffer())]);
  }
  const sign = as === 'comma' ? ',' : as === 'tab' || as === 'utf-16' ? '\t' : ';';
  const quoted = (cell: string | number) => (String(cell).includes(sign) ? `"${cell}"` : String(cell));
  const written = rows.map((row) => row.map(quoted).join(sign)).join('\r\n');
  if (as === 'windows-1252') return new Blob([Buffer.from(written, 'latin1')]);
  if (as === 'utf-16') return new Blob([Buffer.from(`\uFEFF${written}`, 'utf16le')]);
  return new Blob([written]);
}

for (const sheet of SHEETS)
  test(`a spreadsheet is understood: ${sheet.title}`, async () => {
    const { headings, rows } = tableOf(await readTable(await fileOf(sheet)));
    const columns = guessColumns(headings);
    assert.deepEqual(
      headings.map((heading, at) => [heading, columns[at]]),
      sheet.columns.map(([heading, field]) => [heading, field]),
    );
    const planned = planImport(rows, columns, [], { allowsKeyless: true });
    assert.equal(planned.length, VANS);
    for (const [index, row] of planned.entries()) {
      assert.ok(row.kind === 'create', `${row.kind} in line ${row.line}`);
      assert.equal(row.values.imei, imeiOf(index + 1));
      assert.equal(row.values.allowKeyless, true, 'it reports at once');
      const [, , cell] = sheet.columns.find(([, field]) => field === 'name') ?? sheet.columns[0]!;
      assert.equal(row.name, cell(index + 1), 'with its letters');
    }
  });
