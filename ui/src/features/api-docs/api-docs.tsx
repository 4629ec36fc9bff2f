import { Anchor, Box, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { CardSkeletons } from '@/components/card-skeletons'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './api-docs.module.css'
import { byTag, type Contract, contractQuery, type Operation, operationsOf } from './contract'
import { Description } from './description'
import { OperationDetails } from './operation-details'
import { SchemaList } from './schema-list'
import { search } from './search'
import { useOpenHash } from './use-open-hash'
import { useResultsInView } from './use-results-in-view'

/** The API reference, rendered from the OpenAPI document that programs read. */
export function ApiDocs() {
  const contract = useQuery(contractQuery)
  return (
    <Loaded query={contract} what="the API reference" loading={<CardSkeletons count={4} height={80} />}>
      {(data) => <Reference contract={data} />}
    </Loaded>
  )
}

function Reference({ contract }: { contract: Contract }) {
  const [query, setQuery] = useState('')
  const navigate = useNavigate()
  useOpenHash()
  const results = useResultsInView(query)
  const operations = operationsOf(contract)
  const found = search(operations, query)

  function openFirst(event: FormEvent) {
    event.preventDefault()
    const [first] = found
    if (query !== '' && first) void navigate({ hash: first.operationId })
  }

  return (
    <div className={classes.reference}>
      <div className={classes.side}>
        <Box component="form" role="search" aria-label="API" onSubmit={openFirst}>
          <TextInput
            type="search"
            label="Search operations"
            placeholder="Retry a failed post"
            maxLength={100}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
        </Box>
        <Text size="sm" c="dimmed" role="status" my={6}>
          {found.length === operations.length ? '' : `${found.length} of `}
          {operations.length} operations
        </Text>
        <nav aria-label="API sections" className={classes.tags}>
          {byTag(operations).map(([tag, some]) => (
            <Anchor
              key={tag}
              component={Link}
              to={{ hash: anchorOf(tag) }}
              size="sm"
              c="inherit"
              onClick={() => setQuery('')}
            >
              {tag} ({some.length})
            </Anchor>
          ))}
          <Anchor component={Link} to={{ hash: schemasAnchor }} size="sm" c="inherit">
            Schemas
          </Anchor>
        </nav>
      </div>
      <Stack gap="lg" miw={0} ref={results} className={classes.target ?? ''}>
        {query === '' ? <All contract={contract} operations={found} /> : <Found operations={found} />}
        <div id={schemasAnchor} tabIndex={-1} className={classes.target}>
          <SchemaList contract={contract} />
        </div>
      </Stack>
    </div>
  )
}

const schemasAnchor = 'schemas'
const anchorOf = (tag: string) => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

function All({ contract, operations }: { contract: Contract; operations: Operation[] }) {
  const described = new Map(contract.tags?.map(({ name, description }) => [name.toLowerCase(), description]))
  return (
    <>
      {contract.info?.description && (
        <Section title="Overview">
          <Description text={contract.info.description} />
        </Section>
      )}
      {byTag(operations).map(([tag, some]) => (
        <div key={tag} id={anchorOf(tag)} tabIndex={-1} className={classes.target}>
          <Section title={tag}>
            <Description text={described.get(tag.toLowerCase())} />
            <Operations of={some} />
          </Section>
        </div>
      ))}
    </>
  )
}

function Found({ operations }: { operations: Operation[] }) {
  return (
    <Section title="Search results">
      {operations.length === 0 && <Text>No operation matches. Try fewer or other words.</Text>}
      <Operations of={operations} />
    </Section>
  )
}

const Operations = ({ of: operations }: { of: Operation[] }) =>
  operations.map((operation) => <OperationDetails key={operation.operationId} operation={operation} />)
