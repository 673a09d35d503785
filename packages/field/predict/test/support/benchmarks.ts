/** Benchmarks as transaction templates. `R:x[a]`, `W:x[a]` and `U:x[a>b]` read, write and update row x of the relation. */
import type { Template, TemplateOperation } from '../../src/robust.ts';

export function templates(text: string): Template[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [program, ...operations] = line.trim().split(/\s+/);
      return { program: program!, operations: operations.map(operationOf) };
    });
}

function operationOf(text: string): TemplateOperation {
  const [, kind, relation, variable, columns] = /^(.)(\w+):(\w+)\[(.*)\]$/.exec(text)!;
  const [first, second] = columns!.split('>').map((part) => part.split(',').filter((name) => name !== ''));
  const [reads, writes] = kind === 'R' ? [first!, []] : kind === 'W' ? [[], first!] : [first!, second!];
  return { relation: relation!, variable: variable!, reads, writes };
}

/** SmallBank (Alomari, Cahill, Fekete and Röhm, ICDE 2008); a customer is one key in all tables but Account. */
export const SMALLBANK = templates(`
Am RAccount:a[n,c] RAccount:b[n,c] USavings:x[c,b>b] UChecking:x[c,b>b] UChecking:y[c,b>b]
Bal RAccount:a[n,c] RSavings:x[c,b] RChecking:x[c,b]
DC RAccount:a[n,c] UChecking:x[c,b>b]
TS RAccount:a[n,c] USavings:x[c,b>b]
WC RAccount:a[n,c] RSavings:x[c,b] RChecking:x[c,b] UChecking:x[c,b>b]
`);

/** TPC-C with rows by key and two order lines, after Vandevoort, Ketsman, Koch and Neven, PVLDB 2021. */
export const TPCC = templates(`
NO RWarehouse:x[w,i] UDistrict:y[w,d,i,n>n] RCustomer:z[w,d,c,i] WOrder:s[w,d,o,c,s] UStock:t[w,i,q>q] WOrderLine:v[w,d,o,l,i,e,q] UStock:t2[w,i,q>q] WOrderLine:v2[w,d,o,l,i,e,q]
Pay UWarehouse:x[w,y>y] UDistrict:y[w,d,y>y] UCustomer:z[w,d,c,b>b]
OS RCustomer:z[w,d,c,i,b] ROrder:s[w,d,o,c,s] ROrderLine:v[w,d,o,l,i,e,q] ROrderLine:v2[w,d,o,l,i,e,q]
SL RDistrict:y[w,d,n] ROrderLine:v[w,d,o,l,i] RStock:t[w,i,q]
Del UOrder:s[w,d,o,s>s] UOrderLine:v[w,d,o,l,e>e] UOrderLine:v2[w,d,o,l,e>e] UCustomer:z[w,d,c,b>b]
`);

/**
 * Courseware (Nair, Petri and Shapiro, ESOP 2020; Biswas, Kakwani, Vedurada, Enea and Lal, OOPSLA 2021) with rows by
 * key: opens or closes a course, enrols a student in an open one, removes a course without enrolments, and lists them.
 */
export const COURSEWARE = templates(`
Open UCourse:c[o>o]
Enrol RStudent:s[n] RCourse:c[o] UEnrolment:e[n>n]
Remove REnrolment:e[n] UCourse:c[o>o]
List RCourse:c[o] REnrolment:e[n]
`);
