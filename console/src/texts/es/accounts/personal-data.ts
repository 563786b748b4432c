import type { Texts } from '../../translation.ts';

export const personalData: Texts['personalData'] = {
  title: 'Datos',
  lead: {
    device: 'Todo sobre el dispositivo en un archivo, o borrado para siempre.',
    user: 'Todo sobre usted y sus dispositivos en un archivo, o su cuenta borrada para siempre.',
  },
  export: 'Exportar todo',
  erase: { device: 'Borrar el dispositivo', user: 'Borrar mi cuenta' },
  eraseTitle: (name) => `¿Borrar ${name}?`,
  forGood: 'No se puede deshacer, ni siquiera un administrador puede.',
  lost: {
    device: [
      'Todas las posiciones, viajes, paradas y lecturas',
      'Todas las notificaciones, disparadores y reenvíos',
      'Los mensajes, los ajustes y la clave del dispositivo',
      'Lo compartido: nadie ve ya el dispositivo',
    ],
    user: [
      'Su cuenta, sesiones, tokens y claves de acceso',
      'Todos sus dispositivos con posiciones, viajes y lecturas',
      'Sus geocercas, grupos, reglas, informes y notificaciones',
      'Lo que compartió con otros',
    ],
  },
  stays:
    'El registro de auditoría se conserva, y también las copias de seguridad y los archivos hechos antes: el comprobante firmado que recibe los nombra. Exporte antes lo que quiera conservar.',
  confirm: (name) => `Escriba «${name}» para confirmar`,
  password: 'Su contraseña',
  erased: 'Borrado. El comprobante firmado se guardó como archivo.',
};
