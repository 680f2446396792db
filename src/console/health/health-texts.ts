import { roomTexts } from '../room-texts.ts';

export const HEALTH_TEXTS = roomTexts(
  {
    'health.title': 'Salud',
    'health.well': 'Todo está bien.',
    'health.problems': 'Necesitan a una persona: {count}',
    'health.same': 'Lo mismo dice: {command}',
    'health.ok': 'Bien',
    'health.problem': 'Problema',
    'health.store': 'La base y el trabajo',
    'health.process': 'Proceso {host}, pid {pid}',
    'health.process_facts': 'versión {version}, desde {since}, visto hace {age}',
    'health.no_process': 'Ningún proceso dice que corre. Cada serve lo dice una vez por minuto.',
    'health.policy': 'Lo que los navegadores detuvieron',
    'health.policy_none': 'Nada desde que este proceso partió.',
    'health.policy_some':
      'Desde que este proceso partió: {count}. Puede ser una inyección, un error nuestro, una extensión del navegador o un informe inventado.',
    'health.directive': 'Regla',
    'health.blocked': 'Detenido',
    'column.check': 'Qué se mira',
    'column.finding': 'Qué se encontró',
  },
  {
    'health.title': 'Health',
    'health.well': 'All is well.',
    'health.problems': 'Need a person: {count}',
    'health.same': 'The same says: {command}',
    'health.ok': 'OK',
    'health.problem': 'Problem',
    'health.store': 'The store and the work',
    'health.process': 'Process {host}, pid {pid}',
    'health.process_facts': 'version {version}, since {since}, seen {age} ago',
    'health.no_process': 'No process says that it runs. Each serve says so once a minute.',
    'health.policy': 'What browsers stopped',
    'health.policy_none': 'Nothing since this process started.',
    'health.policy_some':
      'Since this process started: {count}. It may be an injection, a fault of ours, an extension of the browser or an invented report.',
    'health.directive': 'Rule',
    'health.blocked': 'Stopped',
    'column.check': 'What is looked at',
    'column.finding': 'What was found',
  },
);
