# Air between rigid walls, in a plane of x (index i) and height (index k): sound, buoyancy, a rising
# bubble of warm air that carries smoke. The grid is staggered: what belongs to cells has even indices,
# what flows through their sides has odd ones. Cells are h wide, their neighbours two indices away.
#
# One call is one step of time. Mass and smoke are conserved: what leaves a cell enters its neighbour.

model atmosphere(N, M: index; tau, h: real) precision f32

array RHO(k: 1..2*M+1) positive                 # density at rest
array TH (k: 1..2*M+1) positive                 # potential temperature at rest
array K  (k: 1..2*M+1 by 2) nonnegative         # how fast smoke mixes upwards; nought at the walls
array NU (k: 1..2*M+1) nonnegative              # viscosity

array R  (i: 2..2*N by 2, k: 2..2*M by 2) order k i       # density above that at rest
array T  (i: 2..2*N by 2, k: 2..2*M by 2) order k i       # potential temperature above that at rest
array Q  (i: 2..2*N by 2, k: 2..2*M by 2) order k i       # smoke
array U  (i: 1..2*N+1 by 2, k: 2..2*M by 2) order k i     # wind along x
array W  (i: 2..2*N by 2, k: 1..2*M+1 by 2) order k i     # wind upwards
array FX (i: 1..2*N+1 by 2, k: 2..2*M by 2) order k i     # smoke through sides
array FZ (i: 2..2*N by 2, k: 1..2*M+1 by 2) order k i
array GX (i: 1..2*N+1 by 2, k: 2..2*M by 2) order k i     # heat through sides
array GZ (i: 2..2*N by 2, k: 1..2*M+1 by 2) order k i
array D  (i: 2..2*N by 2, k: 2..2*M by 2) order k i       # of the solution along k
array C  (k: 2..2*M by 2)

# The pressure above that at rest: of gas whose temperature does not change by sound, and of its heat.
macro P(i, k) = 1.0e4*(R[i,k] + RHO[k]*T[i,k]/TH[k] + R[i,k]^2/(2*RHO[k]) + R[i,k]*T[i,k]/TH[k])

compute U(i skip 1 1, k) parallel i
  with r = RHO[k] + (R[i+1,k] + R[i-1,k])/2
  = U[i,k] - tau*(P(i+1,k) - P(i-1,k))/(h*r)
    + tau*NU[k]*(U[i+2,k] - 2*U[i,k] + U[i-2,k])/(h*h*r)
    - tau*U[i,k]*(U[i+2,k] - U[i-2,k])/(2*h)

compute W(i, k skip 1 1) parallel i
  with r = RHO[k] + (R[i,k+1] + R[i,k-1])/2; b = (T[i,k+1] + T[i,k-1])/(2*TH[k])
  = W[i,k] - tau*(P(i,k+1) - P(i,k-1))/(h*r) + tau*9.81*(b - (R[i,k+1] + R[i,k-1])/(2*r))
    + tau*NU[k]*(W[i,k+2] - 2*W[i,k] + W[i,k-2])/(h*h*r)
    - tau*W[i,k]*(W[i,k+2] - W[i,k-2])/(2*h)

compute R(i, k) parallel i
  = R[i,k] - tau*(RHO[k]*U[i+1,k] - RHO[k]*U[i-1,k])/h
    - tau*(RHO[k+1]*W[i,k+1] - RHO[k-1]*W[i,k-1])/h

# What the wind carries comes from the side that it blows from.
compute FX, GX (i skip 1 1, k) parallel i
  FX = tau*U[i,k]*ifsign(U[i,k], Q[i+1,k], (Q[i-1,k] + Q[i+1,k])/2, Q[i-1,k])/h
  GX = tau*U[i,k]*ifsign(U[i,k], T[i+1,k], (T[i-1,k] + T[i+1,k])/2, T[i-1,k])/h
compute FZ, GZ (i, k skip 1 1) parallel i
  FZ = tau*W[i,k]*ifsign(W[i,k], Q[i,k+1], (Q[i,k-1] + Q[i,k+1])/2, Q[i,k-1])/h
  GZ = tau*W[i,k]*ifsign(W[i,k], T[i,k+1], (T[i,k-1] + T[i,k+1])/2, T[i,k-1])/h
compute Q, T (i, k) parallel i
  Q = Q[i,k] - (FX[i+1,k] - FX[i-1,k]) - (FZ[i,k+1] - FZ[i,k-1])
  T = T[i,k] - (GX[i+1,k] - GX[i-1,k]) - (GZ[i,k+1] - GZ[i,k-1])
    + T[i,k]*tau*((U[i+1,k] - U[i-1,k])/h + (W[i,k+1] - W[i,k-1])/h)
    - tau*(W[i,k+1] + W[i,k-1])/2*(TH[k+1] - TH[k-1])/h

# Smoke mixes upwards and downwards, implicitly: a tridiagonal system for each i.
edge C(2) = tau*K[3]/(h*h + tau*K[3])
compute C(k skip 1 0 up) carried k
  = tau*K[k+1]/(h*h + tau*K[k+1] + tau*K[k-1]*(1 - C[k-2]))
edge D(i, 2) = Q[i,2]*h*h/(h*h + tau*K[3])
compute D(i, k skip 1 0 up) carried k parallel i
  = (Q[i,k]*h*h + tau*K[k-1]*D[i,k-2])/(h*h + tau*K[k+1] + tau*K[k-1]*(1 - C[k-2]))
edge Q(i, 2*M) = D[i,2*M]
compute Q(i, k skip 0 1 down) carried k parallel i
  = D[i,k] + C[k]*Q[i,k+2]
