import type { Texts } from '../../translation.ts';

export const deviceTags: Texts['deviceTags'] = {
  title: 'Etiquetas',
  none: 'Aún no hay etiquetas. Agrupan dispositivos y sirven para filtrar su lista.',
  list: 'Etiquetas de este dispositivo',
  name: 'Nombre',
  namePlaceholder: 'almacen',
  value: 'Valor',
  valuePlaceholder: 'norte',
  valueHint: 'El valor es opcional. Una etiqueta tiene un valor: uno nuevo lo sustituye.',
  add: 'Añadir',
  remove: (tag) => `Quitar ${tag}`,
  removed: (tag) => `Se ha quitado «${tag}»`,
  undo: 'Deshacer',
  colonInName: 'Un nombre no puede contener dos puntos. Introduzca lo que sigue como valor.',
  tooLong: 'Nombre y valor pueden tener 99 caracteres en total.',
  devicesWith: (tag) => `Dispositivos con ${tag}`,
};
