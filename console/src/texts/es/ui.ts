import type { Texts } from '../translation.ts';

export const ui: Texts['ui'] = {
  close: 'Cerrar',
  cancel: 'Cancelar',
  save: 'Guardar',
  delete: 'Eliminar',
  dismiss: 'Descartar',
  clear: 'Borrar',
  copy: 'Copiar',
  copied: 'Copiado',
  loading: 'Cargando',
  retry: 'Reintentar',
  failed: 'Error al cargar',
  unreachable: 'No se puede acceder al servidor. Compruebe su conexión e inténtelo de nuevo.',
  tooSlow: 'El servidor ha tardado demasiado en responder. Inténtelo de nuevo en un momento.',
  unknownProblem: 'Algo ha ido mal. Inténtelo de nuevo. Si el problema continúa, consulte el registro del servidor.',
  pages: 'Páginas',
  page: (number) => `Página ${number}`,
  previous: 'Página anterior',
  next: 'Página siguiente',
};
