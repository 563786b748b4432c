import type { Language } from '@trackway/contract/wording/languages.ts';

/** What the mail of a report says around its table. */
interface MailTexts {
  readonly rows: (all: number, shown: number) => string;
  readonly nothing: string;
  readonly incomplete: string;
  readonly attached: (file: string) => string;
  readonly open: string;
}

export const MAIL_TEXTS: Readonly<Record<Language, MailTexts>> = {
  en: {
    rows: (all, shown) => (all > shown ? `The first ${shown} of ${all} rows.` : `Rows: ${all}.`),
    nothing: 'There is nothing to report in this period.',
    incomplete: 'There is more than one report can hold: choose a shorter period or fewer devices.',
    attached: (file) => `The file ${file} is attached.`,
    open: 'Open the reports',
  },
  de: {
    rows: (all, shown) => (all > shown ? `Die ersten ${shown} von ${all} Zeilen.` : `Zeilen: ${all}.`),
    nothing: 'In diesem Zeitraum gibt es nichts zu berichten.',
    incomplete: 'Es ist mehr, als ein Bericht fasst: Wählen Sie einen kürzeren Zeitraum oder weniger Geräte.',
    attached: (file) => `Die Datei ${file} ist angehängt.`,
    open: 'Berichte öffnen',
  },
  fr: {
    rows: (all, shown) => (all > shown ? `Les ${shown} premières lignes sur ${all}.` : `Lignes : ${all}.`),
    nothing: 'Il n’y a rien à signaler pour cette période.',
    incomplete: 'Il y a plus qu’un rapport ne peut contenir : choisissez une période plus courte ou moins d’appareils.',
    attached: (file) => `Le fichier ${file} est joint.`,
    open: 'Ouvrir les rapports',
  },
  es: {
    rows: (all, shown) => (all > shown ? `Las primeras ${shown} de ${all} filas.` : `Filas: ${all}.`),
    nothing: 'No hay nada que informar en este periodo.',
    incomplete: 'Hay más de lo que cabe en un informe: elija un periodo más corto o menos dispositivos.',
    attached: (file) => `El archivo ${file} va adjunto.`,
    open: 'Abrir los informes',
  },
};
