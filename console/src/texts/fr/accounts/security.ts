import { countedIn } from '../../counting.ts';
import type { Texts } from '../../translation.ts';

const many = countedIn('fr');

export const security: Texts['security'] = {
  title: 'Sécurité de connexion',
  lead: 'Demander plus que votre mot de passe à la connexion.',
  on: 'Activé',
  off: 'Désactivé',

  app: 'Application d’authentification',
  appHint: 'Un code à six chiffres d’une application de votre téléphone.',
  setUpApp: 'Configurer',
  removeApp: 'Retirer',
  appTitle: 'Configurer une application d’authentification',
  appScan: 'Scannez ce code avec une application d’authentification : Aegis, 2FAS ou Google Authenticator.',
  appQr: 'Code QR pour l’application d’authentification',
  appSecret: 'Ou saisissez cette clé dans l’application',
  appCode: 'Code de l’application',
  appCodeHint: 'Six chiffres. Un nouveau code apparaît toutes les 30 secondes.',
  confirm: 'Activer',
  appOn: 'Application d’authentification activée.',
  removeTitle: 'Retirer l’application d’authentification ?',
  removeText: 'Sans second facteur, votre mot de passe seul suffit pour se connecter.',
  removed: 'Application d’authentification retirée.',

  passkeys: 'Clés d’accès',
  passkeysHint: 'Connectez-vous par empreinte, visage ou clé de sécurité, sans mot de passe.',
  addPasskey: 'Ajouter une clé d’accès',
  passkeyTitle: 'Ajouter une clé d’accès',
  passkeyText: 'Votre navigateur vous demandera de déverrouiller cet appareil ou d’utiliser une clé de sécurité.',
  passkeyName: 'Nom',
  passkeyNameHint: 'Pour la reconnaître plus tard.',
  usualName: 'Cet appareil',
  create: 'Continuer',
  passkeyAdded: 'Clé d’accès ajoutée.',
  passkeyCancelled: 'Aucune clé d’accès créée : la demande a été annulée ou a pris trop de temps.',
  passkeyKnown: 'Cet appareil a déjà une clé d’accès pour votre compte.',
  neverUsed: 'Pas encore utilisée',
  lastUsed: 'Dernière utilisation',
  rename: 'Renommer',
  renameOf: (name) => `Renommer ${name}`,
  renameTitle: 'Renommer la clé d’accès',
  deleteOf: (name) => `Supprimer ${name}`,
  deleteTitle: (name) => `Supprimer la clé d’accès « ${name} » ?`,
  deleteText:
    'Elle ne permettra plus de se connecter. Retirez-la aussi de votre appareil ou gestionnaire de mots de passe.',
  delete: 'Supprimer',
  noPasskeysHere: (address) => `Les clés d’accès ne fonctionnent que sur ${address}.`,
  noPasskeysAtAll:
    'Les clés d’accès exigent une adresse https:// avec un nom de domaine. L’exploitant du serveur peut la configurer.',

  recovery: 'Codes de récupération',
  recoveryLeft: (count) => (count === 0 ? 'Il n’en reste aucun' : many(count, 'code restant', 'codes restants')),
  newCodes: 'Nouveaux codes',
  newCodesTitle: 'Créer de nouveaux codes de récupération ?',
  newCodesText: 'Vos codes précédents cessent de fonctionner.',
  codesTitle: 'Conservez vos codes de récupération',
  codesText:
    'Si vous perdez votre téléphone ou votre clé d’accès, chacun de ces codes vous connecte une fois. Ils ne seront plus affichés. Gardez-les là où vous seul les trouverez.',
  copy: 'Copier',
  copied: 'Copié',
  download: 'Télécharger',
  fileName: 'trackway-codes-de-recuperation.txt',
  saved: 'J’ai conservé ces codes',
  done: 'Terminé',

  password: 'Mot de passe',
  passwordOrCode: 'Votre mot de passe, ou un code de l’application',
  proofHint: 'Pour confirmer que c’est vous.',
  confirmTitle: 'Confirmez que c’est vous',
  confirmIt: 'Confirmer',
  freshness: 'Votre connexion date un peu. Saisissez votre mot de passe pour continuer.',
  noPassword: 'Votre connexion date un peu. Déconnectez-vous, reconnectez-vous et continuez dans les 15 minutes.',

  demandedTitle: 'Configurer un second facteur',
  demandedLead:
    'Les administrateurs de ce serveur se connectent avec un second facteur. Choisissez-en un pour continuer.',
  signOut: 'Se déconnecter',
};
