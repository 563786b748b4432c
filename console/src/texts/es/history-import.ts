import type { Texts } from '../translation.ts';

export const historyImport: Texts['historyImport'] = {
  title: 'Importar historial',
  device: 'Para el dispositivo',
  file: 'Archivo',
  hint: 'GPX, KML, GeoJSON, CSV, Cronología de Google o Records.json, u OwnTracks .rec. Los trayectos y las paradas se calculan a partir de él. No se avisa a nadie.',
  only: 'Solo este dispositivo',
  onlyHint: 'Si la tabla tiene posiciones de varios dispositivos: el id que tiene en ella el que se importa.',
  start: 'Importar',
  resume: 'Reanudar',
  stop: 'Detener',
  close: 'Cerrar',
  progress: (sent) => `Posiciones enviadas: ${sent}`,
  done: (stored, known, refused) => `Posiciones: ${stored} importadas, ${known} ya conocidas, ${refused} rechazadas.`,
  interrupted: (name, sent) =>
    `La importación de «${name}» se interrumpió. Posiciones enviadas: ${sent}. Elija de nuevo el mismo archivo y continuará desde ahí.`,
  building: 'Se están calculando los trayectos y las paradas. Puede cerrar esta ventana.',
  built: 'Los trayectos y las paradas están calculados.',
};
