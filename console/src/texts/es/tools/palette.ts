import type { Texts } from '../../translation.ts';

export const palette: Texts['palette'] = {
  title: 'Ir a',
  search: 'Buscar páginas y dispositivos',
  results: 'Resultados',
  devices: 'Dispositivos',
  pages: 'Páginas',
  none: 'No se ha encontrado nada',
  unnamed: (id) => `Dispositivo ${id}`,
  keys: 'Atajos de teclado',
  keysLead: 'Estas teclas funcionan en todas las páginas mientras no escriba en un campo.',
  afterwards: 'luego',
  open: 'Buscar páginas y dispositivos',
  help: 'Mostrar atajos de teclado',
  close: 'Cerrar una ventana',
  goTo: (page) => `Ir a: ${page}`,
};
