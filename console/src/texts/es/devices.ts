import type { Texts } from '../translation.ts';

export const devices: Texts['devices'] = {
  title: 'Dispositivos',
  search: 'Buscar dispositivos',
  add: 'Añadir dispositivo',
  filterByTag: 'Etiqueta',
  anyValue: (name) => `${name}: cualquier valor`,
  filters: 'Etiquetas por las que se filtra',
  endFilter: (tag) => `Dejar de filtrar por ${tag}`,
  list: 'Dispositivos',
  none: 'Aún no hay dispositivos',
  noneHint: 'Añada un teléfono, un rastreador o un dispositivo simulado y véalo en el mapa.',
  noMatch: 'No se han encontrado dispositivos',
  noMatchHint: 'Ningún dispositivo tiene un nombre, un tipo o una etiqueta que coincida con la búsqueda y los filtros.',
  name: 'Nombre',
  state: 'Estado',
  speed: 'Velocidad',
  battery: 'Batería',
  heard: 'Visto por última vez',
  never: 'Nunca',
  sortBy: (column) => `Ordenar por ${column.toLowerCase()}`,
  count: (shown, all) => {
    const unit = all === '1' ? 'dispositivo' : 'dispositivos';
    return shown === all ? `${all} ${unit}` : `${shown} de ${all} ${unit}`;
  },
  onMap: 'Ver en el mapa',
  shared: 'Compartido con usted',
};
