import { Redirect, useLocation } from 'wouter';

/** Redirects from the former addresses of triggers and rules to the addresses of alerts. */
export default function OldAddress() {
  const [location] = useLocation();
  const [, kind, ...rest] = location.split('/').slice(1);
  const path = kind === 'rules' && rest[0] !== undefined && rest[0] !== 'new' ? ['rules', ...rest] : rest;
  return <Redirect to={`${['/alerts', ...path].join('/')}${window.location.search}`} replace />;
}
