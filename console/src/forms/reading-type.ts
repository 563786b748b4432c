import { fewDigits } from '../format/quantities.ts';
import { t, textFor } from '../texts/t.ts';
import type { Units } from '../units.ts';

/** Temperatures are stored in °C and shown in the viewer's unit. */
const isTemperature = (type: string) => /^temp(_|$)/.test(type);

const toFahrenheit = (celsius: number) => (celsius * 9) / 5 + 32;

/** How numbers of a type are shown: conversion to the viewer's unit, and that unit. */
export function scaleOf(type: string, units: Units): { unit: string; shown: (value: number) => number } {
  if (!isTemperature(type)) return { unit: textFor(t.deviceReadings.units, type) ?? '', shown: (value) => value };
  return units.temperature === 'fahrenheit'
    ? { unit: '°F', shown: toFahrenheit }
    : { unit: '°C', shown: (value) => value };
}

export const nameOfType = (type: string) => textFor(t.deviceReadings.names, type) ?? type;

/** One digit behind the point; small values keep two digits. What rounds to zero has no sign. */
export const numberWith = (value: number, unit: string) => `${fewDigits(value)}${unit && ` ${unit}`}`;
